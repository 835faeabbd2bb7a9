from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import NOT_SUPPORTED, FieldSelection, Resource, metadata_fields

lazy = LazyPackage(__package__)


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the values of a Secret that field selectors can use, by field path."""
    return {**metadata_fields(document), "type": document.get("type", "")}


RESOURCE = Resource(
    group="",
    version="v1",
    kind="Secret",
    plural="secrets",
    model=lazy("types:Secret"),
    strategy=lazy("strategy:SecretStrategy()"),
    printer=lazy("columns:PRINTER"),
    fields=FieldSelection(selectable_fields, frozenset({"type", "metadata.namespace", "metadata.name"}), NOT_SUPPORTED),
)
