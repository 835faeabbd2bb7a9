"""Namespaces: scopes for the names of objects."""

from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import ObjectSubresource, Resource, status_subresource


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the fields that field selectors of Namespaces can use."""
    name = document["metadata"].get("name", "")
    return {"metadata.name": name, "status.phase": document["status"].get("phase", "")}


RESOURCE = Resource(
    group="",
    version="v1",
    kind="Namespace",
    plural="namespaces",
    singular="namespace",
    short_names=("ns",),
    namespaced=False,
    verbs=("create", "delete", "get", "list", "patch", "update", "watch"),
    model=Lazy("memkube.apis.core.v1.namespaces.types:Namespace"),
    strategy=Lazy("memkube.apis.core.v1.namespaces.strategy:NamespaceStrategy()"),
    printer=Lazy("memkube.apis.core.v1.namespaces.columns:PRINTER"),
    holds_namespaces=True,
    selectable_fields=selectable_fields,
    selectable_labels=frozenset({"metadata.name", "status.phase"}),
    unsupported_field_label=lambda label: f"field label not supported: {label}",
    subresources=(
        ObjectSubresource(
            "finalize",
            Lazy("memkube.apis.core.v1.namespaces.strategy:NamespaceFinalizeStrategy()"),
            verbs=("update",),
            tabular=False,
        ),
        status_subresource(Lazy("memkube.apis.core.v1.namespaces.strategy:NamespaceStatusStrategy()")),
    ),
)
