"""Secrets: confidential data."""

from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.secrets.columns import PRINTER
from memkube.apis.core.v1.secrets.strategy import SecretStrategy
from memkube.apis.core.v1.secrets.types import Secret
from memkube.registry.resource import Resource, metadata_fields


def selectable_fields(document: Document) -> Mapping[str, str]:
    """The fields that secrets can be selected by."""
    return {**metadata_fields(document), "type": document.get("type", "")}


RESOURCE = Resource(
    group="",
    version="v1",
    kind="Secret",
    plural="secrets",
    singular="secret",
    model=Secret,
    strategy=SecretStrategy(),
    printer=PRINTER,
    selectable_fields=selectable_fields,
    selectable_labels=frozenset({"type", "metadata.namespace", "metadata.name"}),
    unsupported_field_label=lambda label: f"field label not supported: {label}",
)
