"""Secrets: confidential data."""

from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, metadata_fields


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the fields that field selectors of Secrets can use."""
    return {**metadata_fields(document), "type": document.get("type", "")}


RESOURCE = Resource(
    group="",
    version="v1",
    kind="Secret",
    plural="secrets",
    singular="secret",
    model=Lazy("memkube.apis.core.v1.secrets.types:Secret"),
    strategy=Lazy("memkube.apis.core.v1.secrets.strategy:SecretStrategy()"),
    printer=Lazy("memkube.apis.core.v1.secrets.columns:PRINTER"),
    selectable_fields=selectable_fields,
    selectable_labels=frozenset({"type", "metadata.namespace", "metadata.name"}),
    unsupported_field_label=lambda label: f"field label not supported: {label}",
)
