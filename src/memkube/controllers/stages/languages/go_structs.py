"""Pods and Nodes in CEL expressions of Stages: Go structs instead of JSON data (KWOK's ``pkg/utils/cel``, easycel).

Unlike in JSON data, a field that is not set has its zero value, such as an empty string, and ``has`` is false for a
field with its zero value. Fields of a pointer type are null. Expressions can read only the fields of the struct types
that KWOK registers; an expression that reads a field of another struct, such as a condition of a pod, is refused.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import FieldSchema, ListSchema, MapSchema, Scalar, Schema, StructSchema, struct_of
from memkube.apis.core.v1.nodes.types import Node
from memkube.apis.core.v1.pods.types import Pod
from memkube.cel.declarations import Fields
from memkube.cel.standard.calendar import parse_rfc3339
from memkube.cel.types import BOOL, DOUBLE, INT, STRING, TIMESTAMP, Type, list_of, map_of, struct
from memkube.cel.values import MIN_SECOND, MISSING, NANOSECONDS, MapValue, Timestamp, Value
from memkube.controllers.framework.staged_kinds import NODES, PODS, StagedKind
from memkube.controllers.stages.languages.quantities import QUANTITY, RESOURCE_LIST, ResourceAmounts, stage_quantity

_REGISTERED: Final = (
    *("Node", "NodeSpec", "NodeStatus", "Pod", "PodSpec", "PodStatus"),
    *("Container", "ObjectMeta", "ResourceRequirements"),
)
_SCALARS: Final = {
    "bool": BOOL,
    "float64": DOUBLE,
    "int32": INT,
    "int64": INT,
    "quantity": struct(QUANTITY),
    "string": STRING,
    "time": TIMESTAMP,
}
_ZERO_TIME: Final = Timestamp(MIN_SECOND * NANOSECONDS)
_TYPE_META: Final = ("apiVersion", "kind")


class _Field(NamedTuple):
    type: Type
    value: Callable[[Any], Value]
    """Function that converts the JSON data of the field, or None if the object lacks the field, to a CEL value."""
    is_set: Callable[[Any], bool]
    """Function that returns True if this JSON data is not that of the zero value of the field's Go type."""


@dataclass(frozen=True, slots=True)
class GoStructType:
    """A Go struct type whose fields CEL expressions can read."""

    name: str
    """Name of the type with its package, such as ``v1.Pod``."""
    fields: Mapping[str, _Field]

    @property
    def declared(self) -> Fields:
        """Declaration of the type for type checking."""
        return Fields(self.name, {name: field.type for name, field in self.fields.items()})


class GoStruct(MapValue):
    """A Go struct, such as a Pod, as a value in CEL. It reads its fields from JSON data."""

    __slots__ = ("_data", "_type")

    def __init__(self, type_: GoStructType, data: Document) -> None:
        self._type = type_
        self._data = data

    @property
    def document(self) -> Document:
        return self._data

    @property
    def type_name(self) -> str:
        """Name of the struct type with its package, such as ``v1.Pod``."""
        return self._type.name

    def __len__(self) -> int:
        return len(self._type.fields)

    def __iter__(self) -> Iterator[str]:
        return iter(self._type.fields)

    def find(self, key: Value) -> Value:
        if not isinstance(key, str) or key not in self._type.fields:
            return MISSING
        return self._type.fields[key].value(self._data.get(key))

    def has(self, key: Value) -> bool:
        if not isinstance(key, str) or key not in self._type.fields:
            return False
        return self._type.fields[key].is_set(self._data.get(key))

    def equals(self, other: Value) -> bool:
        return isinstance(other, GoStruct) and (self._type.name, self._data) == (other._type.name, other._data)


def struct_type_of(kind: StagedKind) -> GoStructType | None:
    """Return the Go struct type of a kind's objects in CEL expressions; None for kinds other than Pod and Node."""
    model = {PODS: Pod, NODES: Node}.get(kind)
    return None if model is None else _struct_type(struct_of(model))


def struct_types() -> list[GoStructType]:
    """Return all Go struct types whose fields CEL expressions can read."""
    found: dict[str, GoStructType] = {}
    pending = [struct_of(Pod), struct_of(Node)]
    while pending:
        schema = pending.pop()
        if schema.name in _REGISTERED and schema.name not in found:
            found[schema.name] = _struct_type(schema)
            pending += [inner for field in schema.fields.values() if (inner := _struct_within(field.schema))]
    return list(found.values())


def _struct_within(schema: Schema) -> StructSchema | None:
    inner = schema.items if isinstance(schema, ListSchema) else schema
    return inner if isinstance(inner, StructSchema) else None


def _struct_type(schema: StructSchema) -> GoStructType:
    return _plain_struct_type(schema.plain)


@cache
def _plain_struct_type(schema: StructSchema) -> GoStructType:
    # KWOK does not register the fields of the embedded TypeMeta: an expression with self.kind does not compile.
    fields = {name: _field(field) for name, field in schema.fields.items() if name not in _TYPE_META}
    return GoStructType(f"v1.{schema.name}", fields)


def _field(field: FieldSchema) -> _Field:
    type_, value = _type_of(field.schema)
    is_set = partial(_is_set, field)
    # A time that is not set is the zero time, not null, also if its field is a pointer.
    if not _is_pointer(field) or type_ == TIMESTAMP:
        return _Field(type_, value, is_set)
    return _Field(replace(type_, nullable=True), lambda data: None if data is None else value(data), is_set)


def _is_pointer(field: FieldSchema) -> bool:
    return field.pointer and not isinstance(field.schema, ListSchema | MapSchema)


def _is_set(field: FieldSchema, data: Any) -> bool:
    if data is None or _is_pointer(field):
        return data is not None
    if isinstance(field.schema, StructSchema):
        return any(_is_set(inner, data.get(name)) for name, inner in field.schema.fields.items())
    return bool(data)


def _type_of(schema: Schema) -> tuple[Type, Callable[[Any], Value]]:
    """Return the CEL type of a field, and a function that converts its JSON data, or None, to a CEL value."""
    if isinstance(schema, StructSchema):
        if schema.name not in _REGISTERED:
            return struct(f"v1.{schema.name}"), lambda data: data or {}
        return struct(f"v1.{schema.name}"), lambda data: GoStruct(_struct_type(schema), data or {})
    if isinstance(schema, ListSchema):
        item, value = _type_of(schema.items)
        return list_of(item), lambda data: [value(each) for each in data or ()]
    if isinstance(schema, MapSchema):
        if isinstance(schema.values, Scalar) and schema.values.type == "quantity":
            return struct(RESOURCE_LIST), lambda data: ResourceAmounts(data or {})
        return map_of(STRING, _type_of(schema.values)[0]), lambda data: data or {}
    type_ = _SCALARS[schema.type]
    if type_ == TIMESTAMP:
        return type_, lambda data: (parse_rfc3339(data) if data else None) or _ZERO_TIME
    if schema.type == "quantity":
        return type_, lambda data: stage_quantity(data or "0")
    zero = {BOOL: False, DOUBLE: 0.0, INT: 0}.get(type_, "")
    return type_, lambda data: zero if data is None else data
