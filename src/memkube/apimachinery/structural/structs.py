"""Conversion of OpenAPI v3 schemas of custom kinds to struct schemas, for server-side apply, discovery and OpenAPI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Literal

from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.meta.v1.unstructured import Unstructured
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import (
    FieldSchema,
    ListSchema,
    MapSchema,
    Scalar,
    ScalarType,
    Schema,
    StructSchema,
    struct_of,
)
from memkube.apimachinery.structural.keywords import (
    EMBEDDED,
    LIST_KEYS,
    LIST_TYPE,
    MAP_TYPE,
    PRESERVES,
)

_SCALARS: Final[Mapping[tuple[str, str], ScalarType]] = {
    ("boolean", ""): "bool",
    ("integer", "int32"): "int32",
    ("string", "byte"): "bytes",
    ("string", "date-time"): "time",
}
_UNFORMATTED: Final[Mapping[str, ScalarType]] = {
    "boolean": "bool",
    "string": "string",
    "integer": "int64",
    "number": "float64",
}
_DEDUCED: Final = Scalar("raw", "")
_ANY_SCALAR: Final = Scalar("int-or-string", "int-or-string")


def custom_struct(document: Document, kind: str) -> StructSchema:
    """Convert the OpenAPI v3 schema of a custom kind to a StructSchema, as built-in kinds have."""
    make = partial(_schema, is_open=bool(document.get(PRESERVES)))
    described = {**document, "properties": own_fields(document)}
    struct = StructSchema(
        kind,
        lambda: {**struct_of(Unstructured).fields, **_fields(described, kind, make)},
        description=document.get("description", ""),
    )
    struct.open = bool(document.get(PRESERVES))
    return struct


def own_fields(document: Document) -> Mapping[str, Any]:
    """Return the top-level fields in a custom kind's schema, except kind, apiVersion and metadata."""
    inherited = struct_of(Unstructured).fields
    return {name: node for name, node in document.get("properties", {}).items() if name not in inherited}


def _fields(node: Document, name: str, make: Callable[[Document, str], Schema]) -> dict[str, FieldSchema]:
    needed = node.get("required", ())
    return {
        field: FieldSchema(
            name=field,
            schema=make(inner, f"{name}.{field}"),
            pointer=True,
            required=field in needed,
            default=inner["default"] if isinstance(inner.get("default"), str | int | bool) else None,
            description=inner.get("description", ""),
        )
        for field, inner in node.get("properties", {}).items()
    }


def _schema(node: Document, name: str, *, is_open: bool) -> Schema:
    """Convert a nested OpenAPI schema to a schema for server-side apply (kube-openapi ``schemaconv``).

    `name` is the name of the resulting struct, such as ``Widget.spec``. `is_open` is true if the schema or one that
    contains it preserves unknown fields.
    """
    is_open = is_open or bool(node.get(PRESERVES))
    make = partial(_schema, is_open=is_open)
    written: str = node.get("type", "")
    if written == "array":
        keys = tuple(node.get(LIST_KEYS, ()))
        kind: Literal["atomic", "set", "map"] = node.get(LIST_TYPE, "atomic")
        return ListSchema(make(node["items"], name), kind, keys)
    if written in _UNFORMATTED:
        form = node.get("format", "")
        if written == "string" and form not in ("", "byte"):
            return _ANY_SCALAR
        scalar = _SCALARS.get((written, "" if written == "string" else form)) or _UNFORMATTED[written]
        return Scalar(scalar, scalar)
    fields, values = node.get("properties"), node.get("additionalProperties")
    if written != "object" and not fields and values is None:
        return _DEDUCED
    relationship: Literal["granular", "atomic"] = node.get(MAP_TYPE, "granular")
    if not fields and not node.get(EMBEDDED) and values is not False:
        of_values = make(values, name) if isinstance(values, dict) else _DEDUCED
        return MapSchema(of_values, relationship, declared=MAP_TYPE in node)
    struct = StructSchema(name, lambda: {**_inherited(node), **_fields(node, name, make)}, relationship=relationship)
    struct.open = values is True or (values is None and is_open)
    return struct


def _inherited(node: Document) -> Mapping[str, FieldSchema]:
    """Return the fields kind, apiVersion and metadata, which an embedded object has without declaring them."""
    if not node.get(EMBEDDED):
        return {}
    text = Scalar("string", "string")
    return {
        "apiVersion": FieldSchema("apiVersion", text, pointer=True),
        "kind": FieldSchema("kind", text, pointer=True),
        "metadata": FieldSchema("metadata", struct_of(ObjectMeta), pointer=True),
    }
