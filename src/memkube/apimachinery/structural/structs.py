"""Structs that OpenAPI v3 documents describe: what apply, patches, discovery and OpenAPI know of such objects."""

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
    INT_OR_STRING,
    LIST_KEYS,
    LIST_TYPE,
    MAP_TYPE,
    MERGE_KEY,
    MERGE_STRATEGY,
    PRESERVES,
)

_KEYWORDS: Final = frozenset(
    {
        "additionalProperties",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "nullable",
        "properties",
        "required",
        "title",
        "type",
        INT_OR_STRING,
        LIST_KEYS,
        LIST_TYPE,
        MAP_TYPE,
        MERGE_KEY,
        MERGE_STRATEGY,
        PRESERVES,
    }
)
"""What schemas of kinds of the reference may say; those of custom kinds may say all that is structural."""
_NUMBERS: Final = frozenset({"int32", "int64", "float", "double"})
_STRINGS: Final = frozenset({"byte", "date-time"})
_TYPES: Final = frozenset({"object", "array", "string", "boolean", "integer", "number"})
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


def struct_of_document(document: Document, kind: str, package: str = "") -> StructSchema:
    """The struct that an OpenAPI v3 schema of whole objects describes, for a kind of the reference without a model.

    `package` is that of the reference's types, such as ``k8s.io/api/core/v1``. Raises ValueError for a keyword that is
    not served. What is required, and what is left out, is the business of the kind's strategy, as for kinds with a
    model: see :class:`memkube.registry.declarations.custom.CustomStrategy` for one that goes by the same document.
    """
    _check(document, "")
    return _struct(document, kind, package, _schema)


def custom_struct(document: Document, kind: str) -> StructSchema:
    """The same for a custom kind, of which apply knows less."""
    make = partial(_custom_schema, is_open=bool(document.get(PRESERVES)))
    return _struct(document, kind, "", make)


def _struct(document: Document, kind: str, package: str, make: Callable[[Document, str], Schema]) -> StructSchema:
    described = {**document, "properties": own_fields(document)}
    struct = StructSchema(
        kind,
        lambda: {**struct_of(Unstructured).fields, **_fields(described, kind, make)},
        description=document.get("description", ""),
        package=package,
    )
    struct.open = bool(document.get(PRESERVES))
    return struct


def own_fields(document: Document) -> Mapping[str, Any]:
    """The fields of whole objects that are their kind's own."""
    inherited = struct_of(Unstructured).fields
    return {name: node for name, node in document.get("properties", {}).items() if name not in inherited}


def _check(node: Document, path: str) -> None:
    unknown = sorted(set(node) - _KEYWORDS)
    if unknown:
        raise ValueError(f"schemas with {unknown[0]} are not served: {path or 'the root'}")
    served = {"integer": _NUMBERS, "number": _NUMBERS, "string": _STRINGS}.get(node.get("type", ""), frozenset())
    if node.get("format") and node["format"] not in served:
        raise ValueError(f"the format {node['format']} is not served: {path}")
    if not (node.get("type") in _TYPES or node.get(INT_OR_STRING) or node.get(PRESERVES)):
        raise ValueError(f"a schema needs a type: {path or 'the root'}")
    if node.get("type") == "array" and not isinstance(node.get("items"), dict):
        raise ValueError(f"a list needs items: {path}")
    for name, inner in node.get("properties", {}).items():
        _check(inner, f"{path}.{name}".lstrip("."))
    for name in ("items", "additionalProperties"):
        if isinstance(node.get(name), dict):
            _check(node[name], f"{path}[*]")


def _fields(node: Document, name: str, make: Callable[[Document, str], Schema]) -> dict[str, FieldSchema]:
    needed = node.get("required", ())
    return {
        field: FieldSchema(
            name=field,
            schema=make(inner, f"{name}.{field}"),
            pointer=True,
            required=field in needed,
            default=inner["default"] if isinstance(inner.get("default"), str | int | bool) else None,
            merge_key=inner.get(MERGE_KEY, "") if "merge" in inner.get(MERGE_STRATEGY, "").split(",") else None,
            description=inner.get("description", ""),
        )
        for field, inner in node.get("properties", {}).items()
    }


def _schema(node: Document, name: str) -> Schema:
    if node.get(INT_OR_STRING):
        return Scalar("int-or-string", "int-or-string")
    if node.get("type") == "array":
        keys = tuple(node.get(LIST_KEYS, ()))
        kind: Literal["atomic", "set", "map"] = node.get(LIST_TYPE, "atomic")
        return ListSchema(_schema(node["items"], name), kind, keys)
    if node.get("type") in _UNFORMATTED:
        scalar = _SCALARS.get((node["type"], node.get("format", ""))) or _UNFORMATTED[node["type"]]
        return Scalar(scalar, scalar, tuple(map(str, node.get("enum", ()))))
    relationship: Literal["granular", "atomic"] = node.get(MAP_TYPE, "granular")
    values = node.get("additionalProperties")
    if isinstance(values, dict):
        return MapSchema(_schema(values, name), relationship, declared=MAP_TYPE in node)
    if values is True and not node.get("properties"):
        return MapSchema(_DEDUCED, relationship, declared=MAP_TYPE in node)
    if node.get(PRESERVES) and not node.get("properties"):
        return _DEDUCED
    struct = StructSchema(name, lambda: _fields(node, name, _schema), relationship=relationship)
    struct.open = bool(node.get(PRESERVES))
    return struct


def _custom_schema(node: Document, name: str, *, is_open: bool) -> Schema:
    """What apply knows of a value; below a node that keeps unknown fields all do (kube-openapi ``schemaconv``)."""
    is_open = is_open or bool(node.get(PRESERVES))
    make = partial(_custom_schema, is_open=is_open)
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
    """What an object inside of another has without being described."""
    if not node.get(EMBEDDED):
        return {}
    text = Scalar("string", "string")
    return {
        "apiVersion": FieldSchema("apiVersion", text, pointer=True),
        "kind": FieldSchema("kind", text, pointer=True),
        "metadata": FieldSchema("metadata", struct_of(ObjectMeta), pointer=True),
    }
