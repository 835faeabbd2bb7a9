"""Pods: groups of containers that run together on a node."""

from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import (
    ConnectSubresource,
    CreateSubresource,
    ObjectSubresource,
    Resource,
    status_subresource,
)

_PODS: Final = "memkube.apis.core.v1.pods"
_STREAM = ("GET", "POST")
_PROXY = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
BINDINGS = Resource(
    group="",
    version="v1",
    kind="Binding",
    plural="bindings",
    singular="binding",
    verbs=("create",),
    model=Lazy("memkube.apis.core.v1.pods.types:Binding"),
    answer=Lazy("memkube.apis.core.v1.pods.binding:bind"),
)


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the fields that field selectors of Pods can use (``ToSelectableFields``)."""
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

RESOURCE = Resource(
    group="",
    version="v1",
    kind="Pod",
    plural="pods",
    singular="pod",
    short_names=("po",),
    categories=("all",),
    model=Lazy(f"{_PODS}.types:Pod"),
    strategy=Lazy(f"{_PODS}.strategy:PodStrategy()"),
    printer=Lazy(f"{_PODS}.columns:PRINTER"),
    selectable_fields=selectable_fields,
    indexed_fields=("spec.nodeName",),
    selectable_labels=SELECTABLE,
    field_label_aliases={"spec.host": "spec.nodeName"},
    unsupported_field_label=lambda label: f"field label not supported: {label}",
    subresources=(
        ConnectSubresource(
            "attach",
            ("create", "get"),
            connect=Lazy(f"{_PODS}.streams:attach"),
            methods=_STREAM,
            options=Lazy(f"{_PODS}.stream_options:PodAttachOptions"),
            options_kind="PodAttachOptions",
        ),
        CreateSubresource(
            "binding",
            "Binding",
            model=Lazy(f"{_PODS}.types:Binding"),
            create=Lazy(f"{_PODS}.binding:bind"),
        ),
        ObjectSubresource(
            "ephemeralcontainers", Lazy(f"{_PODS}.strategy:PodEphemeralContainersStrategy()"), tabular=False
        ),
        ConnectSubresource(
            "exec",
            ("create", "get"),
            connect=Lazy(f"{_PODS}.streams:execute"),
            methods=_STREAM,
            options=Lazy(f"{_PODS}.stream_options:PodExecOptions"),
            options_kind="PodExecOptions",
        ),
        ConnectSubresource(
            "log",
            ("get",),
            connect=Lazy(f"{_PODS}.streams:read_log"),
            methods=("GET",),
            options=Lazy(f"{_PODS}.stream_options:PodLogOptions"),
            produces=("text/plain",),
        ),
        ConnectSubresource(
            "portforward",
            ("create", "get"),
            connect=Lazy(f"{_PODS}.streams:forward_ports"),
            methods=_STREAM,
            options=Lazy(f"{_PODS}.stream_options:PodPortForwardOptions"),
            options_kind="PodPortForwardOptions",
        ),
        ConnectSubresource(
            "proxy",
            ("create", "delete", "get", "patch", "update"),
            connect=Lazy(f"{_PODS}.streams:proxy"),
            methods=_PROXY,
            options=Lazy(f"{_PODS}.stream_options:PodProxyOptions"),
            options_kind="PodProxyOptions",
            has_path=True,
        ),
        ObjectSubresource("resize", Lazy(f"{_PODS}.strategy:PodResizeStrategy()"), tabular=False),
        status_subresource(Lazy(f"{_PODS}.strategy:PodStatusStrategy()")),
    ),
)
