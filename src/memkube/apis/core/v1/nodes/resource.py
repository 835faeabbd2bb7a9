from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import (
    NOT_SUPPORTED,
    ConnectSubresource,
    FieldSelection,
    Resource,
    StorageForm,
    status_subresource,
)

lazy = LazyPackage(__package__)


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the values of a Node that field selectors can use, by field path."""
    unschedulable = "true" if document["spec"].get("unschedulable") else "false"
    return {"metadata.name": document["metadata"].get("name", ""), "spec.unschedulable": unschedulable}


RESOURCE = Resource(
    group="",
    version="v1",
    kind="Node",
    plural="nodes",
    stored=StorageForm(prefix="minions"),
    short_names=("no",),
    namespaced=False,
    model=lazy("types:Node"),
    strategy=lazy("strategy:NodeStrategy()"),
    printer=lazy("columns:PRINTER"),
    fields=FieldSelection(selectable_fields, frozenset({"metadata.name", "spec.unschedulable"}), NOT_SUPPORTED),
    subresources=(
        ConnectSubresource(
            "proxy",
            ("create", "delete", "get", "patch", "update"),
            connect=lazy("proxy:proxy"),
            methods=("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"),
            options=lazy("proxy:NodeProxyOptions"),
            options_kind="NodeProxyOptions",
            has_path=True,
        ),
        status_subresource(lazy("strategy:NodeStatusStrategy()")),
    ),
)
