"""CEL types of built-in objects (apiserver ``pkg/cel/common/schemas.go`` on ``pkg/cel/openapi``)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.schema import ListSchema, MapSchema, Scalar, ScalarType, Schema, StructSchema
from memkube.cel.declarations import ObjectType
from memkube.cel.identifiers import escaped
from memkube.cel.types import BOOL, BYTES, DOUBLE, DYN, INT, STRING, TIMESTAMP, Type, list_of, map_of, struct

_SCALARS: Final[Mapping[ScalarType, Type]] = {
    "string": STRING,
    "int32": INT,
    "int64": INT,
    "float64": DOUBLE,
    "bool": BOOL,
    "bytes": BYTES,
    "time": TIMESTAMP,
    "microtime": TIMESTAMP,
    "int-or-string": DYN,
}
"""CEL types of scalars, by their type in a schema.

Quantities, and values that may have any type, have the CEL type dyn.
"""
_EMPTY: Final = StructSchema("", dict)
_RAW: Final = "runtime.RawExtension"


@dataclass(frozen=True, slots=True)
class _Struct:
    """CEL type of a struct inside an object. Its name is the path of the fields from the object to the struct."""

    name: str
    schema: StructSchema

    def field(self, name: str) -> Type | None:
        for field, declared in self.schema.fields.items():
            if escaped(field) == name:
                return type_of_schema(declared.schema, f"{self.name}.{name}")
        return None


def type_of_schema(schema: Schema, name: str) -> Type | None:
    """Return the CEL type of values with this schema, or None if expressions cannot access them."""
    if isinstance(schema, StructSchema):
        return struct(name)
    if isinstance(schema, Scalar):
        if schema.type == "raw" and schema.name == _RAW:
            return struct(name)
        return _SCALARS.get(schema.type)
    if isinstance(schema, MapSchema):
        values = type_of_schema(schema.values, f"{name}.@elem")
        return None if values is None else map_of(STRING, values)
    items = type_of_schema(schema.items, f"{name}.@idx")
    return None if items is None else list_of(items)


@dataclass(frozen=True, slots=True)
class Kind:
    """CEL type of the objects of one kind. Its name differs from those of all other kinds."""

    name: str
    schema: StructSchema

    def find(self, name: str) -> ObjectType | None:
        """Return the CEL type with this name, which begins with the name of the kind; None if there is none."""
        first, *path = name.split(".")
        if first != self.name:
            return None
        found: Schema | None = self.schema
        for step in path:
            found = _step(found, step)
        if isinstance(found, Scalar):
            found = _EMPTY if found.type == "raw" and found.name == _RAW else None
        return _Struct(name, found) if isinstance(found, StructSchema) else None


def _step(schema: Schema | None, step: str) -> Schema | None:
    if step == "@elem" and isinstance(schema, MapSchema):
        return schema.values
    if step == "@idx" and isinstance(schema, ListSchema):
        return schema.items
    if not isinstance(schema, StructSchema):
        return None
    return next((field.schema for name, field in schema.fields.items() if escaped(name) == step), None)
