"""Embedded objects: values with their own kind, apiVersion and metadata (apiextensions ``schema/objectmeta``)."""

from typing import Any

from memkube.apimachinery.decoding.decode import decode_document
from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.meta.validation.object_meta import validate_object_meta
from memkube.apimachinery.model import Document
from memkube.apimachinery.names import is_dns1035_label, path_segment_name
from memkube.apimachinery.schema import struct_of
from memkube.apimachinery.structural.keywords import EMBEDDED, schema_of_field, schema_of_items


class CoercionError(DecodeError):
    """Raised if the metadata, kind or apiVersion of an embedded object has a wrong type."""

    def __init__(self, error: FieldError) -> None:
        super().__init__(str(error))
        self.error = error


def coerce_metadata(node: Document | None, value: Any, path: FieldPath, unknown: list[str]) -> Any:
    """Return the value with the metadata of all embedded objects decoded as ObjectMeta.

    Unknown metadata fields are removed, and their paths are appended to `unknown`. Raises CoercionError if the metadata
    has a wrong type.
    """
    if node is None:
        return value
    if isinstance(value, list):
        items = schema_of_items(node)
        return [coerce_metadata(items, item, path.item(index), unknown) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    kept: Document = {}
    for name, item in value.items():
        inner = schema_of_field(node, name)
        where = path.child(name) if name in node.get("properties", {}) else path.key(name)
        if node.get(EMBEDDED) and name == "metadata":
            item = _coerced_metadata(item, path, unknown)  # noqa: PLW2901 - replaced before it is kept
        elif node.get(EMBEDDED) and name in ("apiVersion", "kind") and not isinstance(item, str):
            raise CoercionError(invalid(path.child(name), item, "must be a string"))
        kept[name] = item if inner is None else coerce_metadata(inner, item, where, unknown)
    return kept


def _coerced_metadata(value: Any, path: FieldPath, unknown: list[str]) -> Any:
    metadata_path = path.child("metadata")
    if value is None:
        return {}
    if not isinstance(value, dict):
        wrong = "json: cannot unmarshal %s into Go value of type v1.ObjectMeta"
        met = "array" if isinstance(value, list) else "bool" if isinstance(value, bool) else "string"
        met = "number" if isinstance(value, int | float) and not isinstance(value, bool) else met
        raise CoercionError(invalid(metadata_path, value, wrong % met))
    try:
        document, strict = decode_document(struct_of(ObjectMeta), value)
    except DecodeError as error:
        raise CoercionError(invalid(metadata_path, value, error.message)) from error
    unknown += [f"{metadata_path}.{text.split(chr(34))[1]}" for text in strict]
    return ObjectMeta.from_document(document).to_document()


def validate_embedded(node: Document | None, value: Any, path: FieldPath) -> list[FieldError]:
    """Validate that all embedded objects in a value have kind and apiVersion, and valid metadata.

    The value's schema `node` says which objects are embedded ones.
    """
    if node is None:
        return []
    errors: list[FieldError] = []
    if isinstance(value, list):
        items = schema_of_items(node)
        for index, item in enumerate(value):
            errors += validate_embedded(items, item, path.item(index))
    elif isinstance(value, dict):
        if node.get(EMBEDDED):
            errors += _validate_object(value, path)
        for name, item in value.items():
            where = path.child(name) if name in node.get("properties", {}) else path.key(name)
            errors += validate_embedded(schema_of_field(node, name), item, where)
    return errors


def _validate_object(value: Document, path: FieldPath) -> list[FieldError]:
    errors = [required(path.child(name)) for name in ("apiVersion", "kind") if name not in value]
    for name in value:
        if name == "apiVersion":
            errors += _validate_api_version(value[name], path.child(name))
        elif name == "kind":
            errors += _validate_kind(value[name], path.child(name))
        elif name == "metadata":
            errors += _validate_metadata(value[name], path.child(name))
    return errors


def _validate_api_version(value: Any, path: FieldPath) -> list[FieldError]:
    if not isinstance(value, str):
        return [invalid(path, value, "must be a string")]
    if not value:
        return [invalid(path, value, "must not be empty")]
    if value.count("/") > 1:
        return [invalid(path, value, f"unexpected GroupVersion string: {value}")]
    return []


def _validate_kind(value: Any, path: FieldPath) -> list[FieldError]:
    if not isinstance(value, str):
        return [invalid(path, value, "must be a string")]
    if not value:
        return [invalid(path, value, "must not be empty")]
    wrong = is_dns1035_label(value.lower())
    why = f"may have mixed case, but should otherwise match: {','.join(wrong)}"
    return [invalid(path, value, why)] if wrong else []


def _validate_metadata(value: Any, path: FieldPath) -> list[FieldError]:
    try:
        document, _ = decode_document(struct_of(ObjectMeta), value)
    except DecodeError as error:
        return [invalid(path, value, error.message)]
    metadata = ObjectMeta.from_document(document)
    metadata.name = metadata.name or "fakename"
    return validate_object_meta(metadata, path_segment_name, path, namespaced=bool(metadata.namespace))
