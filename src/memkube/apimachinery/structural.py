"""Schemas that arrive while the server runs: structural OpenAPI v3 documents (apiextensions ``pkg/apiserver/schema``).

One document says what a custom kind's objects hold: what is pruned, what is defaulted, what is refused, and which
items of a list are told apart by what. A keyword that is not understood is an error, never passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Final, Literal

from memkube.apimachinery.field_errors import FieldError, FieldPath, not_supported, required
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

_MERGE_KEY: Final = "x-kubernetes-patch-merge-key"
_MERGE_STRATEGY: Final = "x-kubernetes-patch-strategy"
_PRESERVES: Final = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_LIST_TYPE: Final = "x-kubernetes-list-type"
_LIST_KEYS: Final = "x-kubernetes-list-map-keys"
_MAP_TYPE: Final = "x-kubernetes-map-type"
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
        _INT_OR_STRING,
        _LIST_KEYS,
        _LIST_TYPE,
        _MAP_TYPE,
        _PRESERVES,
    }
)
_NUMBERS: Final = frozenset({"int32", "int64", "float", "double"})
_STRINGS: Final = frozenset({"byte", "date-time"})
_TYPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
_SCALARS: Final[Mapping[tuple[str, str], ScalarType]] = {
    ("boolean", ""): "bool",
    ("integer", "int32"): "int32",
    ("string", "byte"): "bytes",
    ("string", "date-time"): "time",
}
_UNFORMATTED: Final[Mapping[str, ScalarType]] = {"string": "string", "integer": "int64", "number": "float64"}
_DEDUCED: Final = Scalar("raw", "")


class StructuralSchema:
    """The schema of one version of a custom kind. Raises ValueError for a keyword that is not served."""

    def __init__(self, document: Document, kind: str) -> None:
        """`document` describes whole objects; what it says of kind, apiVersion and metadata does not count."""
        _check(document, "", _KEYWORDS, frozenset())
        self.document = document
        self.struct = _struct_of_content(document, kind, "")
        described = self.struct.documented = _described(document)
        self._content: Document = {"type": "object", "properties": described, **_only(document, "required", _PRESERVES)}

    def prune(self, document: Document) -> tuple[Document, list[str]]:
        """The object without what the schema does not know, and the paths of that, in the object's order."""
        unknown: list[str] = []
        known = {name: value for name, value in document.items() if name in ("kind", "apiVersion", "metadata")}
        content = {name: value for name, value in document.items() if name not in known}
        return {**known, **_pruned(self._content, content, "", unknown)}, unknown

    def default(self, content: Document) -> Document:
        """The content of an object, with what it leaves out and the schema has a default for."""
        filled: Document = _defaulted(self._content, content)
        return filled

    def validate(self, content: Document) -> list[FieldError]:
        """What the content of an object breaks of the schema."""
        return _violations(self._content, content, FieldPath(""))


def struct_of_document(document: Document, kind: str, package: str = "") -> StructSchema:
    """The struct that an OpenAPI v3 schema of whole objects describes, for a kind of the reference without a model.

    `package` is that of the reference's types, such as ``k8s.io/api/core/v1``. Raises ValueError for a keyword that is
    not served. What is required, and what is left out, is the business of the kind's strategy, as for kinds with a
    model: see :class:`memkube.registry.custom.CustomStrategy` for one that goes by the same document.
    """
    _check(document, "", _KEYWORDS | {_MERGE_KEY, _MERGE_STRATEGY}, _STRINGS)
    return _struct_of_content(document, kind, package)


def _struct_of_content(document: Document, kind: str, package: str) -> StructSchema:
    return StructSchema(
        kind,
        lambda: {**struct_of(Unstructured).fields, **_fields({**document, "properties": _described(document)}, kind)},
        description=document.get("description", ""),
        package=package,
    )


def _described(document: Document) -> Mapping[str, Any]:
    """The fields of whole objects that are their kind's own."""
    inherited = struct_of(Unstructured).fields
    return {name: node for name, node in document.get("properties", {}).items() if name not in inherited}


def _only(document: Document, *names: str) -> Document:
    return {name: document[name] for name in names if name in document}


def _check(node: Document, path: str, keywords: frozenset[str], string_formats: frozenset[str]) -> None:
    unknown = sorted(set(node) - keywords)
    if unknown:
        raise ValueError(f"schemas with {unknown[0]} are not served: {path or 'the root'}")
    served = {"integer": _NUMBERS, "number": _NUMBERS, "string": string_formats}.get(node.get("type", ""), ())
    if node.get("format") and node["format"] not in served:
        raise ValueError(f"the format {node['format']} is not served: {path}")
    if not (node.get("type") in _TYPES or node.get(_INT_OR_STRING) or node.get(_PRESERVES)):
        raise ValueError(f"a schema needs a type: {path or 'the root'}")
    if node.get("type") == "array" and not isinstance(node.get("items"), dict):
        raise ValueError(f"a list needs items: {path}")
    for name, inner in node.get("properties", {}).items():
        _check(inner, f"{path}.{name}".lstrip("."), keywords, string_formats)
    for name in ("items", "additionalProperties"):
        if isinstance(node.get(name), dict):
            _check(node[name], f"{path}[*]", keywords, string_formats)


def _fields(node: Document, name: str) -> dict[str, FieldSchema]:
    needed = node.get("required", ())
    return {
        field: FieldSchema(
            name=field,
            schema=_schema(inner, f"{name}.{field}"),
            pointer=True,
            required=field in needed,
            default=inner["default"] if isinstance(inner.get("default"), str | int | bool) else None,
            merge_key=inner.get(_MERGE_KEY, "") if "merge" in inner.get(_MERGE_STRATEGY, "").split(",") else None,
            description=inner.get("description", ""),
        )
        for field, inner in node.get("properties", {}).items()
    }


def _schema(node: Document, name: str) -> Schema:
    if node.get(_INT_OR_STRING):
        return Scalar("int-or-string", "int-or-string")
    if node.get("type") == "array":
        keys = tuple(node.get(_LIST_KEYS, ()))
        kind: Literal["atomic", "set", "map"] = node.get(_LIST_TYPE, "atomic")
        return ListSchema(_schema(node["items"], name), kind, keys)
    if node.get("type") in ("string", "integer", "number", "boolean"):
        scalar = _SCALARS.get((node["type"], node.get("format", ""))) or _UNFORMATTED[node["type"]]
        return Scalar(scalar, scalar, tuple(map(str, node.get("enum", ()))))
    relationship: Literal["granular", "atomic"] = node.get(_MAP_TYPE, "granular")
    values = node.get("additionalProperties")
    if isinstance(values, dict):
        return MapSchema(_schema(values, name), relationship, declared=_MAP_TYPE in node)
    if node.get(_PRESERVES) and not node.get("properties"):
        return _DEDUCED
    return StructSchema(name, lambda: _fields(node, name), relationship=relationship)


def _pruned(node: Document, value: Any, path: str, unknown: list[str]) -> Any:
    if isinstance(value, list) and isinstance(node.get("items"), dict):
        return [_pruned(node["items"], item, f"{path}[{index}]", unknown) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    values, described = node.get("additionalProperties"), node.get("properties", {})
    kept: Document = {}
    for name, item in value.items():
        inner = described.get(name, values if isinstance(values, dict) else None)
        where = f"{path}.{name}" if path else name
        if inner is not None:
            kept[name] = _pruned(inner, item, where, unknown)
        elif node.get(_PRESERVES) or values is True:
            kept[name] = item
        else:
            unknown.append(where)
    return kept


def _defaulted(node: Document, value: Any) -> Any:
    if isinstance(value, list) and isinstance(node.get("items"), dict):
        return [_defaulted(node["items"], item) for item in value]
    if not isinstance(value, dict):
        return value
    filled = dict(value)
    for name, inner in node.get("properties", {}).items():
        missing = name not in filled or (filled[name] is None and not inner.get("nullable"))
        if missing and "default" in inner:
            filled[name] = deepcopy(inner["default"])
        if name in filled:
            filled[name] = _defaulted(inner, filled[name])
    values = node.get("additionalProperties")
    if isinstance(values, dict):
        described = node.get("properties", {})
        return {name: item if name in described else _defaulted(values, item) for name, item in filled.items()}
    return filled


def _violations(node: Document, value: Any, path: FieldPath) -> list[FieldError]:
    if value is None and node.get("nullable"):
        return []
    if not _fits(node, value):
        wanted = "integer,string" if node.get(_INT_OR_STRING) else node["type"]
        met = _type_of(value)
        return [FieldError("FieldValueTypeInvalid", path, met, f'{path} in body must be of type {wanted}: "{met}"')]
    errors: list[FieldError] = []
    if "enum" in node and value not in node["enum"]:
        errors.append(not_supported(path, value, map(str, node["enum"])))
    if isinstance(value, list):
        for index, item in enumerate(value):
            errors += _violations(node["items"], item, path.item(index))
    elif isinstance(value, dict):
        errors += [required(path.child(name)) for name in node.get("required", ()) if name not in value]
        values, described = node.get("additionalProperties"), node.get("properties", {})
        for name, item in value.items():
            inner = described.get(name, values if isinstance(values, dict) else None)
            if inner is not None:
                errors += _violations(inner, item, path.child(name))
    return errors


def _fits(node: Document, value: Any) -> bool:
    if node.get(_INT_OR_STRING):
        return _TYPES["integer"](value) or _TYPES["string"](value)
    wanted = node.get("type")
    return wanted is None or _TYPES[wanted](value)


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    return next(name for name, fits in _TYPES.items() if fits(value))
