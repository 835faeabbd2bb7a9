from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import (
    NOT_SUPPORTED,
    FieldSelection,
    ObjectSubresource,
    Resource,
    status_subresource,
)

lazy = LazyPackage(__package__)


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the values of a Namespace that field selectors can use, by field path."""
    name = document["metadata"].get("name", "")
    return {"metadata.name": name, "status.phase": document["status"].get("phase", "")}


RESOURCE = Resource(
    group="",
    version="v1",
    kind="Namespace",
    plural="namespaces",
    short_names=("ns",),
    namespaced=False,
    verbs=("create", "delete", "get", "list", "patch", "update", "watch"),
    model=lazy("types:Namespace"),
    strategy=lazy("strategy:NamespaceStrategy()"),
    printer=lazy("columns:PRINTER"),
    holds_namespaces=True,
    fields=FieldSelection(selectable_fields, frozenset({"metadata.name", "status.phase"}), NOT_SUPPORTED),
    subresources=(
        ObjectSubresource(
            "finalize",
            lazy("strategy:NamespaceFinalizeStrategy()"),
            verbs=("update",),
            tabular=False,
        ),
        status_subresource(lazy("strategy:NamespaceStatusStrategy()")),
    ),
)
