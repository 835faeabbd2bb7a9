"""CEL types derived from an OpenAPI schema, with the maximum size of their values.

Sources: apiserver ``pkg/cel/common/schemas.go`` (SchemaDeclType) and ``pkg/cel/types.go``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.keywords import EMBEDDED, INT_OR_STRING, schema_of_values
from memkube.cel.costs.ranges import Range
from memkube.cel.declarations import ObjectType
from memkube.cel.identifiers import escaped
from memkube.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    Type,
    list_of,
    map_of,
    struct,
)

LARGEST_REQUEST: Final = 3 * 1024 * 1024
"""Size in bytes of the largest request. Cost estimates assume that no value is larger."""
_LONGEST: Final = LARGEST_REQUEST - 2
_CHARACTER_BYTES: Final = 4
_TEXT: Final[Document] = {"type": "string"}
_TIMES: Final = {"duration": (DURATION, 32, 3), "date": (TIMESTAMP, 12, 12), "date-time": (TIMESTAMP, 32, 21)}
_ELEMENT: Final = "@elem"
_ITEM: Final = "@idx"


@dataclass(frozen=True, slots=True)
class DeclaredType:
    """A CEL type derived from a schema, with the sizes of its values."""

    scalar: Type | None
    """Type of a scalar; None for lists, maps and objects."""
    min_bytes: int
    """Minimum number of bytes of a value's JSON text."""
    max_size: int = 0
    """Maximum number of characters, list items or map entries of a value."""
    key: DeclaredType | None = None
    element: DeclaredType | None = None
    """Type of a list's items or a map's values."""
    fields: Mapping[str, DeclaredType] | None = None
    """Types of an object's fields by escaped field name."""

    def type(self, name: str) -> Type:
        """Return the CEL type of a variable or field that is called `name`.

        Nested object types are named by their paths, such as ``self.spec`` below the variable ``self``.
        """
        if self.scalar is not None:
            return self.scalar
        if self.element is None:
            return struct(name)
        if self.key is None:
            return list_of(self.element.type(f"{name}.{_ITEM}"))
        return map_of(STRING, self.element.type(f"{name}.{_ELEMENT}"))

    def at(self, path: Sequence[str]) -> DeclaredType | None:
        """Return the type of the value at a path in values of this type; None if the path does not exist.

        The path consists of field names, ``@items`` for the items of a list, and ``@keys`` and ``@values`` for the keys
        and values of a map.
        """
        found: DeclaredType | None = self
        for name in path:
            if found is None:
                return None
            if name in ("@items", "@values", _ITEM, _ELEMENT):
                found = found.element
            elif name == "@keys":
                found = found.key
            else:
                found = (found.fields or {}).get(name)
        return found

    def size_of(self, path: Sequence[str]) -> Range | None:
        """Return the possible sizes of the value at a path that starts at a variable of this type; None if unknown."""
        found = self.at(path[1:]) if path else None
        return None if found is None else Range(0, found.max_size)

    def object_type(self, name: str, root: str) -> ObjectType | None:
        """Return the object type with the given name: this type, named `root`, or a type nested in it.

        Returns None if no such type exists.
        """
        if name != root and not name.startswith(f"{root}."):
            return None
        found = self.at(name.split(".")[1:])
        return None if found is None or found.fields is None else _NamedObject(name, found.fields)


@dataclass(frozen=True, slots=True)
class _NamedObject:
    name: str
    fields: Mapping[str, DeclaredType]

    def field(self, name: str) -> Type | None:
        """Return the type of a field; None if the field does not exist. `name` can be a reserved word, unescaped."""
        reserved = f"__{name}__"
        known = reserved if name not in self.fields and escaped(name) == reserved else name
        found = self.fields.get(known)
        return None if found is None else found.type(f"{self.name}.{known}")


_KEY: Final = DeclaredType(STRING, 2)
_SCALARS: Final = {"boolean": DeclaredType(BOOL, 4), "number": DeclaredType(DOUBLE, 1), "integer": DeclaredType(INT, 1)}


def with_metadata(node: Document) -> Document:
    """Return the schema `node`, completed with the metadata fields that every object has.

    These are apiVersion, kind and the name and generateName in metadata. The schema is returned unchanged if it has
    them.
    """
    described = node.get("properties", {})
    metadata = described.get("metadata", {})
    names = [metadata.get("properties", {}).get(name, {}) for name in ("name", "generateName")]
    texts = [described.get("kind", {}), described.get("apiVersion", {}), *names]
    if metadata.get("type") == "object" and all(text.get("type") == "string" for text in texts):
        return node
    inherited = {"type": "object", "properties": {"name": _TEXT, "generateName": _TEXT}}
    return {**node, "properties": {**described, "kind": _TEXT, "apiVersion": _TEXT, "metadata": inherited}}


def declared_type(node: Document, *, resource_root: bool) -> DeclaredType | None:
    """Return the CEL type of values of a structural schema; None for data that expressions cannot read.

    If `resource_root` is true, the type has the metadata of an object even if the schema does not declare it.
    """
    if node.get(INT_OR_STRING):
        return DeclaredType(DYN, 1, _length(node, _CHARACTER_BYTES))
    match node.get("type"):
        case "array":
            return _list(node)
        case "object":
            return _object(with_metadata(node) if resource_root else node)
        case "string":
            return _string(node)
    return _SCALARS.get(node.get("type", ""))


def _nested(node: Document) -> DeclaredType | None:
    return declared_type(node, resource_root=bool(node.get(EMBEDDED)))


def _length(node: Document, factor: int) -> int:
    longest = node.get("maxLength")
    return _LONGEST if longest is None else max(longest, 0) * factor


def _string(node: Document) -> DeclaredType:
    form = node.get("format", "")
    if form in _TIMES:
        kind, max_size, min_size = _TIMES[form]
        return DeclaredType(kind, min_size, max_size)
    if form == "byte":
        return DeclaredType(BYTES, 2, _length(node, 1))
    values: list[Any] = node.get("enum", [])
    if node.get("maxLength") is None and values:
        return DeclaredType(STRING, 2, max(len(value.encode()) if isinstance(value, str) else 0 for value in values))
    return DeclaredType(STRING, 2, _length(node, _CHARACTER_BYTES))


def _list(node: Document) -> DeclaredType | None:
    items = node.get("items")
    item = _nested(items) if isinstance(items, dict) else None
    if item is None:
        return None
    limit = node.get("maxItems")
    max_size = _LONGEST // (item.min_bytes + 1) if limit is None else max(limit, 0)
    return DeclaredType(None, 2, max_size, element=item)


def _object(node: Document) -> DeclaredType | None:
    values = schema_of_values(node)
    if values is not None:
        value = _nested(values)
        if value is None:
            return None
        limit = node.get("maxProperties")
        max_size = _LONGEST // (value.min_bytes + 6) if limit is None else max(limit, 0)
        return DeclaredType(None, 2, max_size, key=_KEY, element=value)
    needed, min_size = set(node.get("required", ())), 2
    fields: dict[str, DeclaredType] = {}
    for name, inner in node.get("properties", {}).items():
        field = _nested(inner)
        if field is None:
            continue
        identifier = escaped(name)
        if identifier is not None:
            fields[identifier] = field
        if name in needed and inner.get("default") is None:
            min_size += len(name.encode()) + field.min_bytes + 4
    return DeclaredType(None, min_size, fields=fields)
