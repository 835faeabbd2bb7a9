"""Pods: groups of containers that run together on a node."""

from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.binding import bind
from memkube.apis.core.v1.pods.columns import PRINTER
from memkube.apis.core.v1.pods.strategy import (
    PodEphemeralContainersStrategy,
    PodResizeStrategy,
    PodStatusStrategy,
    PodStrategy,
)
from memkube.apis.core.v1.pods.stream_options import (
    PodAttachOptions,
    PodExecOptions,
    PodLogOptions,
    PodPortForwardOptions,
    PodProxyOptions,
)
from memkube.apis.core.v1.pods.streams import attach, execute, forward_ports, proxy, read_log
from memkube.apis.core.v1.pods.types import Binding, Pod
from memkube.registry.resource import Resource, Subresource

_STREAM = ("GET", "POST")
_PROXY = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


def selectable_fields(document: Document) -> Mapping[str, str]:
    """The fields that pods can be selected by (``ToSelectableFields``)."""
    metadata, spec, status = document["metadata"], document["spec"], document["status"]
    addresses = status.get("podIPs") or [{}]
    return {
        "metadata.name": metadata.get("name", ""),
        "metadata.namespace": metadata.get("namespace", ""),
        "spec.nodeName": spec.get("nodeName", ""),
        "spec.restartPolicy": spec.get("restartPolicy", ""),
        "spec.schedulerName": spec.get("schedulerName", ""),
        "spec.serviceAccountName": spec.get("serviceAccountName", ""),
        "spec.hostNetwork": "true" if spec.get("hostNetwork") else "false",
        "status.phase": status.get("phase", ""),
        "status.podIP": addresses[0].get("ip", ""),
        "status.nominatedNodeName": status.get("nominatedNodeName", ""),
    }


SELECTABLE = frozenset(
    {
        "metadata.name",
        "metadata.namespace",
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.podIPs",
        "status.nominatedNodeName",
    }
)

_CHANGES = ("get", "patch", "update")

RESOURCE = Resource(
    group="",
    version="v1",
    kind="Pod",
    plural="pods",
    singular="pod",
    short_names=("po",),
    categories=("all",),
    model=Pod,
    strategy=PodStrategy(),
    printer=PRINTER,
    selectable_fields=selectable_fields,
    selectable_labels=SELECTABLE,
    field_label_aliases={"spec.host": "spec.nodeName"},
    unsupported_field_label=lambda label: f"field label not supported: {label}",
    subresources=(
        Subresource(
            "attach",
            ("create", "get"),
            PodAttachOptions,
            "PodAttachOptions",
            connect=attach,
            methods=_STREAM,
            options=PodAttachOptions,
        ),
        Subresource("binding", ("create",), Binding, "Binding", create=bind, tabular=False),
        Subresource(
            "ephemeralcontainers", _CHANGES, Pod, "Pod", strategy=PodEphemeralContainersStrategy(), tabular=False
        ),
        Subresource(
            "exec",
            ("create", "get"),
            PodExecOptions,
            "PodExecOptions",
            connect=execute,
            methods=_STREAM,
            options=PodExecOptions,
        ),
        Subresource(
            "log",
            ("get",),
            Pod,
            "Pod",
            connect=read_log,
            methods=("GET",),
            options=PodLogOptions,
            produces=("text/plain",),
            tabular=False,
        ),
        Subresource(
            "portforward",
            ("create", "get"),
            PodPortForwardOptions,
            "PodPortForwardOptions",
            connect=forward_ports,
            methods=_STREAM,
            options=PodPortForwardOptions,
        ),
        Subresource(
            "proxy",
            ("create", "delete", "get", "patch", "update"),
            PodProxyOptions,
            "PodProxyOptions",
            connect=proxy,
            methods=_PROXY,
            options=PodProxyOptions,
            has_path=True,
        ),
        Subresource("resize", _CHANGES, Pod, "Pod", strategy=PodResizeStrategy(), tabular=False),
        Subresource("status", _CHANGES, Pod, "Pod", strategy=PodStatusStrategy()),
    ),
)
