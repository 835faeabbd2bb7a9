from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import (
    NOT_SUPPORTED,
    ConnectSubresource,
    CreateSubresource,
    FieldSelection,
    ObjectSubresource,
    Resource,
    status_subresource,
)

lazy = LazyPackage(__package__)

_STREAM = ("GET", "POST")
_PROXY = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
BINDINGS = Resource(
    group="",
    version="v1",
    kind="Binding",
    plural="bindings",
    verbs=("create",),
    model=lazy("types:Binding"),
    answer=lazy("binding:bind"),
)


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the values of a Pod that field selectors can use, by field path (``ToSelectableFields``)."""
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
    short_names=("po",),
    categories=("all",),
    model=lazy("types:Pod"),
    strategy=lazy("strategy:PodStrategy()"),
    printer=lazy("columns:PRINTER"),
    fields=FieldSelection(
        selectable_fields, SELECTABLE, NOT_SUPPORTED, aliases={"spec.host": "spec.nodeName"}, indexed=("spec.nodeName",)
    ),
    subresources=(
        ConnectSubresource(
            "attach",
            ("create", "get"),
            connect=lazy("streams:attach"),
            methods=_STREAM,
            options=lazy("stream_options:PodAttachOptions"),
            options_kind="PodAttachOptions",
        ),
        CreateSubresource(
            "binding",
            "Binding",
            model=lazy("types:Binding"),
            create=lazy("binding:bind"),
        ),
        ObjectSubresource("ephemeralcontainers", lazy("strategy:PodEphemeralContainersStrategy()"), tabular=False),
        ConnectSubresource(
            "exec",
            ("create", "get"),
            connect=lazy("streams:execute"),
            methods=_STREAM,
            options=lazy("stream_options:PodExecOptions"),
            options_kind="PodExecOptions",
        ),
        ConnectSubresource(
            "log",
            ("get",),
            connect=lazy("streams:read_log"),
            methods=("GET",),
            options=lazy("stream_options:PodLogOptions"),
            produces=("text/plain",),
        ),
        ConnectSubresource(
            "portforward",
            ("create", "get"),
            connect=lazy("streams:forward_ports"),
            methods=_STREAM,
            options=lazy("stream_options:PodPortForwardOptions"),
            options_kind="PodPortForwardOptions",
        ),
        ConnectSubresource(
            "proxy",
            ("create", "delete", "get", "patch", "update"),
            connect=lazy("streams:proxy"),
            methods=_PROXY,
            options=lazy("stream_options:PodProxyOptions"),
            options_kind="PodProxyOptions",
            has_path=True,
        ),
        ObjectSubresource("resize", lazy("strategy:PodResizeStrategy()"), tabular=False),
        status_subresource(lazy("strategy:PodStatusStrategy()")),
    ),
)
