"""Namespaces: what the names of other objects are unique in."""

from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.namespaces.columns import PRINTER
from memkube.apis.core.v1.namespaces.store import NamespaceStore
from memkube.apis.core.v1.namespaces.strategy import (
    NamespaceFinalizeStrategy,
    NamespaceStatusStrategy,
    NamespaceStrategy,
)
from memkube.apis.core.v1.namespaces.types import Namespace
from memkube.registry.resource import Resource, Subresource, status_subresource


def selectable_fields(document: Document) -> Mapping[str, str]:
    """The fields that namespaces can be selected by."""
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
    model=Namespace,
    strategy=NamespaceStrategy(),
    printer=PRINTER,
    make_store=NamespaceStore,
    selectable_fields=selectable_fields,
    selectable_labels=frozenset({"metadata.name", "status.phase"}),
    unsupported_field_label=lambda label: f"field label not supported: {label}",
    subresources=(
        Subresource(
            name="finalize",
            verbs=("update",),
            model=Namespace,
            kind="Namespace",
            strategy=NamespaceFinalizeStrategy(),
            tabular=False,
        ),
        status_subresource(Namespace, "Namespace", NamespaceStatusStrategy()),
    ),
)
