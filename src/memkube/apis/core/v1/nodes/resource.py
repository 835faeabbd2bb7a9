"""Nodes: the machines that pods run on."""

from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import ConnectSubresource, Resource, name_field, status_subresource


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the fields that field selectors of Nodes can use."""
    unschedulable = "true" if document["spec"].get("unschedulable") else "false"
    return {**name_field(document), "spec.unschedulable": unschedulable}


RESOURCE = Resource(
    group="",
    version="v1",
    kind="Node",
    plural="nodes",
    singular="node",
    storage_prefix="minions",
    short_names=("no",),
    namespaced=False,
    model=Lazy("memkube.apis.core.v1.nodes.types:Node"),
    strategy=Lazy("memkube.apis.core.v1.nodes.strategy:NodeStrategy()"),
    printer=Lazy("memkube.apis.core.v1.nodes.columns:PRINTER"),
    selectable_fields=selectable_fields,
    selectable_labels=frozenset({"metadata.name", "spec.unschedulable"}),
    unsupported_field_label=lambda label: f"field label not supported: {label}",
    subresources=(
        ConnectSubresource(
            "proxy",
            ("create", "delete", "get", "patch", "update"),
            connect=Lazy("memkube.apis.core.v1.nodes.proxy:proxy"),
            methods=("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"),
            options=Lazy("memkube.apis.core.v1.nodes.proxy:NodeProxyOptions"),
            options_kind="NodeProxyOptions",
            has_path=True,
        ),
        status_subresource(Lazy("memkube.apis.core.v1.nodes.strategy:NodeStatusStrategy()")),
    ),
)
