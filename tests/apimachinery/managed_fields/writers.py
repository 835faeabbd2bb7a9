from typing import Any

from memkube.apimachinery.managed_fields import FieldSet, Writer, field_set
from memkube.apimachinery.model import Document

NOW = "2026-01-01T00:00:00Z"
LATER = "2026-01-01T00:00:05Z"


def writer(manager: str = "one", *, time: str = NOW, subresource: str = "", reset: str = "status") -> Writer:
    return Writer(manager, "example.com/v1", "Widget", time, subresource, field_set(reset))


def widget(spec: dict[str, Any] | None = None, **metadata: Any) -> Document:
    document: Document = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "web", **metadata}}
    return document if spec is None else {**document, "spec": spec}


def tracked(document: Document, managed: list[Document]) -> Document:
    metadata = {**document["metadata"], "managedFields": managed}
    return {**document, "metadata": metadata}


def owned(managed: list[Document]) -> dict[str, FieldSet]:
    return {entry["manager"]: entry["fieldsV1"] for entry in managed}
