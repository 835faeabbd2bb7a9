"""The stored form of OpenAPI schemas, which differs from the client's in numbers and in embedded metadata."""

from typing import Any

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.model import Document
from memkube.apimachinery.structural import with_whole_numbers
from memkube.apimachinery.structural.embedded import coerce_metadata
from memkube.apimachinery.structural.keywords import CONTAINING, EMBEDDED, schemas_within
from memkube.apis.apiextensions.v1.customresourcedefinitions.json_schema import ReadSchema


def stored_schema(schema: ReadSchema) -> ReadSchema:
    """Return a valid schema as kube-apiserver stores it.

    Whole numbers such as ``1.0`` in defaults, enums and examples become integers. In default values, the metadata of
    embedded objects loses its empty fields, because the validation of defaults decodes and encodes it.
    """
    has_values = any(keyword in node for node in schemas_within(schema) for keyword in ("default", "enum", "example"))
    return ReadSchema(_stored(schema, is_validated=True, is_root=True)) if has_values else schema


def _stored(node: Document, *, is_validated: bool, is_root: bool = False) -> Document:
    """Return the stored form of the schema `node`.

    `is_validated` is false in those parts of a schema whose default values kube-apiserver does not validate. Such
    values are not decoded, so that their metadata keeps its empty fields. `is_root` is true for the schema of whole
    objects.
    """
    stored: Document = {}
    for keyword, value in node.items():
        if keyword == "default" and is_validated:
            described = {**node, EMBEDDED: True} if is_root else node
            stored[keyword] = with_whole_numbers(coerce_metadata(described, value, FieldPath("default"), []))
        elif keyword in ("default", "enum", "example"):
            stored[keyword] = with_whole_numbers(value)
        elif keyword in CONTAINING:
            stored[keyword] = _stored_within(keyword, value, is_validated and keyword in ("items", "properties"))
        else:
            stored[keyword] = value
    return stored


def _stored_within(keyword: str, value: Any, is_validated: bool) -> Any:
    if isinstance(value, list):
        return [_stored(item, is_validated=False) if isinstance(item, dict) else item for item in value]
    if not isinstance(value, dict):
        return value
    if keyword in ("properties", "patternProperties", "definitions", "dependencies"):
        return {
            name: _stored(inner, is_validated=is_validated) if isinstance(inner, dict) else inner
            for name, inner in value.items()
        }
    return _stored(value, is_validated=is_validated)
