"""Schemas that arrive while the server runs: structural OpenAPI v3 documents (apiextensions ``pkg/apiserver/schema``).

One document says what a custom kind's objects hold: what is pruned, what is defaulted, what is refused, and which
items of a list are told apart by what. A keyword that is not understood is an error, never passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Final, Literal

from memkube.apimachinery.field_errors import FieldError, FieldPath
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
from memkube.apimachinery.structural.correlation import Correlation
from memkube.apimachinery.structural.defaulting import Holds, defaulted, holds_defaults
from memkube.apimachinery.structural.embedded import coerced, validate_embedded
from memkube.apimachinery.structural.keywords import (
    EMBEDDED,
    INHERITED,
    INT_OR_STRING,
    LIST_KEYS,
    LIST_TYPE,
    MAP_TYPE,
    MERGE_KEY,
    MERGE_STRATEGY,
    PRESERVES,
    RULES,
    schemas_within,
    steps,
)
from memkube.apimachinery.structural.list_types import validate_list_types
from memkube.apimachinery.structural.plain import Fits, plainly_fits
from memkube.apimachinery.structural.pruning import pruned, without_nulls
from memkube.apimachinery.structural.rules import unsupported_keyword, validate_structural
from memkube.apimachinery.structural.values import validate_value

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
_CUSTOM_KEYWORDS: Final = frozenset(
    {
        "additionalProperties", "allOf", "anyOf", "default", "description", "enum", "example", "exclusiveMaximum",
        "exclusiveMinimum", "externalDocs", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum",
        "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "nullable", "oneOf", "pattern",
        "properties", "required", "title", "type", "uniqueItems",
        EMBEDDED, INT_OR_STRING, LIST_KEYS, LIST_TYPE, MAP_TYPE, PRESERVES, RULES,
    }
)  # fmt: skip
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


class StructuralSchema:
    """The schema of one version of a custom kind. Raises ValueError for a schema that is not served."""

    def __init__(self, document: Document, kind: str) -> None:
        """`document` describes whole objects."""
        _check_custom(document, kind)
        self.document = document
        self.struct = _struct_of_content(document, kind, "", custom=True)
        self.struct.documented = _described(document)
        self._root: Document = {**_with_pruned_defaults(document), EMBEDDED: True}
        self._status: Document | None = document.get("properties", {}).get("status")
        self.has_rules = any(node.get(RULES) for node in schemas_within(document))
        """Whether expressions in CEL must hold of objects, besides what is looked at here."""

    @cached_property
    def is_plain(self) -> Fits:
        """Whether an object, or its content, is without unknown fields, valid, and written as the reference does it.

        What is not told so may be right all the same.
        """
        return plainly_fits(self.document)

    @cached_property
    def _holds_defaults(self) -> Holds | None:
        return holds_defaults(self._root)

    def prune(self, document: Document) -> tuple[Document, list[str]]:
        """The object without what the schema does not know, itself if that is plain, and the paths of that, sorted.

        Raises DecodeError for objects inside of it whose metadata has wrong types.
        """
        unknown: list[str] = []
        if self.is_plain(document):
            return document, unknown
        inherited = {name: value for name, value in document.items() if name in INHERITED}
        kept: Document = without_nulls(self._root, pruned(self._root, document, "", unknown))
        unknown.sort()
        inside: list[str] = []
        content = {name: value for name, value in kept.items() if name not in INHERITED}
        content = coerced({**self._root, EMBEDDED: False}, content, FieldPath(""), inside)
        return {**inherited, **content}, unknown + sorted(inside)

    def default(self, content: Document) -> Document:
        """The content of an object, with what it leaves out and the schema has a default for, or itself."""
        holds = self._holds_defaults
        filled: Document = content if holds is None or holds(content) else defaulted(self._root, content)
        return filled

    def validate(self, document: Document, further: Sequence[FieldError] = ()) -> list[FieldError]:
        """What a new object breaks of the schema; `further` faults have their place among these."""
        if self.is_plain(document):
            return [*further]
        errors = [*validate_value(self.document, document), *further]
        return errors + self._validate_inside(document) + validate_list_types(self.document, document, FieldPath(""))

    def validate_update(
        self, document: Document, old: Document, further: Sequence[FieldError] = ()
    ) -> list[FieldError]:
        """What a changed object breaks of the schema, but for parts that are as they were."""
        if self.is_plain(document):
            return [*further]
        correlation = Correlation(self.document, old, document)
        errors = [*validate_value(self.document, document, None, correlation), *further]
        return errors + self._validate_inside(document) + self._validate_lists(document, old)

    def validate_status(
        self, document: Document, old: Document, further: Sequence[FieldError] = ()
    ) -> list[FieldError]:
        """What a status breaks of its part of the schema, but for what is as it was."""
        if self.is_plain(document):
            return [*further]
        errors: list[FieldError] = []
        if "status" in document and self._status is not None:
            linked = Correlation(self.document, old, document).field("status")
            errors += validate_value(self._status, document["status"], FieldPath("status"), linked)
        return [*errors, *further, *self._validate_lists(document, old)]

    def _validate_inside(self, document: Document) -> list[FieldError]:
        return validate_embedded({**self.document, EMBEDDED: False}, document, FieldPath(""))

    def _validate_lists(self, document: Document, old: Document) -> list[FieldError]:
        if validate_list_types(self.document, old, FieldPath("")):
            return []
        return validate_list_types(self.document, document, FieldPath(""))


def _check_custom(document: Document, kind: str) -> None:
    waiting = [("", document)]
    while waiting:
        path, node = waiting.pop()
        if not node.keys() <= _CUSTOM_KEYWORDS:
            unknown = sorted(node.keys() - _CUSTOM_KEYWORDS)
            raise ValueError(f"schemas of {kind} with {unknown[0]} are not served: {path or 'the root'}")
        waiting += [(f"{path}.{step.place or step.keyword}".lstrip("."), step.node) for step in steps(node)]
    why = unsupported_keyword(document)
    errors = [] if why else validate_structural(document, FieldPath(""))
    if why or errors:
        raise ValueError(why or str(errors[0]))


def _with_pruned_defaults(node: Document) -> Document:
    """The schema, with defaults as they are kept."""
    kept = dict(node)
    if isinstance(node.get("default"), dict | list):
        kept["default"] = pruned(node, node["default"], "", [])
    for keyword in ("items", "additionalProperties"):
        if isinstance(node.get(keyword), dict):
            kept[keyword] = _with_pruned_defaults(node[keyword])
    if "properties" in node:
        kept["properties"] = {name: _with_pruned_defaults(inner) for name, inner in node["properties"].items()}
    return kept


def struct_of_document(document: Document, kind: str, package: str = "") -> StructSchema:
    """The struct that an OpenAPI v3 schema of whole objects describes, for a kind of the reference without a model.

    `package` is that of the reference's types, such as ``k8s.io/api/core/v1``. Raises ValueError for a keyword that is
    not served. What is required, and what is left out, is the business of the kind's strategy, as for kinds with a
    model: see :class:`memkube.registry.custom.CustomStrategy` for one that goes by the same document.
    """
    _check(document, "")
    return _struct_of_content(document, kind, package)


def _struct_of_content(document: Document, kind: str, package: str, *, custom: bool = False) -> StructSchema:
    described = {**document, "properties": _described(document)}
    is_open = bool(document.get(PRESERVES))
    make = partial(_custom_schema, is_open=is_open) if custom else _schema
    struct = StructSchema(
        kind,
        lambda: {**struct_of(Unstructured).fields, **_fields(described, kind, make)},
        description=document.get("description", ""),
        package=package,
    )
    struct.open = is_open
    return struct


def _described(document: Document) -> Mapping[str, Any]:
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
