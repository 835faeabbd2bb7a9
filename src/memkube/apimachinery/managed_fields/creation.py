"""Field sets of whole objects, and of the fields that the creator of an object owns.

Each create request needs the fields that the creator owns. To find them fast, a function (a walker) is compiled once
per schema: it takes a value, and returns the set of the fields that differ from the zero value of their type.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from memkube.apimachinery.managed_fields.field_set import LEAF, FieldSet, in_order
from memkube.apimachinery.managed_fields.shapes import (
    CACHED_SCHEMAS,
    DEDUCED,
    child_schema,
    element_schema,
    in_zero_value,
    indexed,
    is_atomic,
    is_named_field,
    item_element,
)
from memkube.apimachinery.schema import FieldSchema, ListSchema, MapSchema, Scalar, Schema, StructSchema

Walker: TypeAlias = Callable[[Any], FieldSet]
Step: TypeAlias = tuple[str, Walker | None, bool]
"""Entry for one field of a struct, by which a walker finds the owned fields: path element, walker and a flag.

The walker is a function that returns the field set of the field's value; it is None for a scalar, which is owned unless
it is zero. The flag is True if Go writes the zero value of the field.
"""
_Below: TypeAlias = tuple[str, Walker | None]
"""Path element of a field, and the walker (see the module) that finds the owned fields in its value.

The walker is None if managedFields contain the field as a whole, without the fields below it.
"""


def to_field_set(schema: Schema, value: Any) -> FieldSet:
    """Return the field set of all leaf fields, list items and map keys of an object.

    Raises MissingKeysError if a list item lacks its key fields.
    """
    if isinstance(schema, ListSchema):
        return _items(schema, value) if isinstance(value, list) else {}
    return _fields(schema, value) if isinstance(value, dict) else {}


def with_named_fields(schema: Schema | None, fields: FieldSet) -> FieldSet:
    """Return the field set with all struct fields added that contain one of its members.

    For example, ``metadata`` is added if the set contains ``metadata.labels``.
    """
    wider: FieldSet = {}
    for element, node in fields.items():
        if element == "." or not node:
            wider[element] = node
            continue
        below = with_named_fields(None if schema is None else element_schema(schema, element), node)
        wider[element] = {".": LEAF, **below} if is_named_field(schema, element) else below
    return wider


def _fields(schema: Schema, value: dict[str, Any]) -> FieldSet:
    node: FieldSet = {}
    for key, item in value.items():
        below = child_schema(schema, key)
        if below is None:
            continue
        if item is None or item == {} or is_atomic(below, item):
            node[f"f:{key}"] = LEAF
            continue
        children = to_field_set(below, item)
        if not is_named_field(schema, f"f:{key}"):
            children = {".": LEAF, **children} if children else LEAF
        elif not children:
            continue
        node[f"f:{key}"] = children
    return in_order(node)


def _items(schema: ListSchema, value: list[Any]) -> FieldSet:
    node: FieldSet = {}
    for element, items in indexed(schema, value).items():
        atomic = len(items) > 1 or is_atomic(schema.items, items[0])
        children = {} if atomic else to_field_set(schema.items, items[0])
        node[element] = {".": LEAF, **children} if children else LEAF
    return in_order(node)


@lru_cache(maxsize=CACHED_SCHEMAS)
def addition_walker(schema: Schema) -> Walker:
    """Return the walker for values that are new in an object, such as the value of a field that was not set before.

    The walker is a function that takes such a value, and returns the set of the field itself and all fields inside it.
    """
    if isinstance(schema, Scalar):
        return _added_deduced if schema == DEDUCED else _leaf
    if schema.relationship == "atomic":
        return _leaf
    if isinstance(schema, ListSchema):
        return _added_list(schema)
    if isinstance(schema, MapSchema):
        return _added_map(schema)
    return _added_struct(schema)


@lru_cache(maxsize=CACHED_SCHEMAS)
def creation_walker(schema: StructSchema) -> Walker:
    """Return the function (walker) that takes a new struct, and returns the set of its fields that are not zero.

    The struct itself is not a member of the set.
    """
    walkers: dict[str, Step] = {}
    null_before = frozenset(name for name, field in schema.fields.items() if _is_null_before(schema, field))

    def walk(value: Any) -> FieldSet:
        if not walkers:
            walkers.update(_zero_walkers(schema))
        node: FieldSet = {}
        for name in sorted(value):
            item = value[name]
            if name not in walkers:
                node |= _undeclared(schema, name, item)
                continue
            element, walker, always = walkers[name]
            if item is None and name in null_before:
                continue
            if walker is None:
                if item:
                    node[element] = LEAF
            else:
                below = walker(item)
                if below or not always:
                    node[element] = below
        return node

    return walk


def _zero_walkers(schema: StructSchema) -> dict[str, Step]:
    walkers: dict[str, Step] = {}
    for name, field in schema.fields.items():
        if in_zero_value(schema, field) and not _is_raw(field.schema):
            walkers[name] = (f"f:{name}", _zero_walker(field), not _is_null_before(schema, field))
        else:
            walkers[name] = (f"f:{name}", addition_walker(field.schema), False)
    return walkers


def _is_null_before(schema: StructSchema, field: FieldSchema) -> bool:
    """True if Go writes the zero value of the field as null, because the field is a list or map.

    The creator owns such a field even if its value is an empty list or map.
    """
    return isinstance(field.schema, ListSchema | MapSchema) and in_zero_value(schema, field)


def _is_raw(schema: Schema) -> bool:
    """True if the schema permits any JSON. Such a field has no zero value: its creator owns even an empty object."""
    return isinstance(schema, Scalar) and schema.type == "raw"


def _zero_walker(field: FieldSchema) -> Walker | None:
    schema = field.schema
    if isinstance(schema, Scalar):
        return None
    if schema.relationship == "atomic":
        return None if isinstance(schema, StructSchema) else _leaf
    if isinstance(schema, StructSchema) and not field.pointer:
        return creation_walker(schema)
    walker = addition_walker(schema)
    return lambda value: {element: node for element, node in walker(value).items() if element != "."}


def _undeclared(schema: StructSchema, name: str, value: Any) -> FieldSet:
    """Return the field set of a field that the schema of the struct does not declare.

    The set is empty if the struct does not allow unknown fields.
    """
    below = child_schema(schema, name)
    return {} if below is None else {f"f:{name}": addition_walker(below)(value)}


def _leaf(value: Any) -> FieldSet:
    return LEAF


def _added_deduced(value: Any) -> FieldSet:
    if not isinstance(value, dict) or not value:
        return LEAF
    return {".": LEAF, **{f"f:{key}": _added_deduced(value[key]) for key in sorted(value)}}


def _added_map(schema: MapSchema) -> Walker:
    walker = addition_walker(schema.values)
    if walker is _leaf:
        return lambda value: {".": LEAF, **{f"f:{key}": LEAF for key in sorted(value)}} if value else LEAF
    return lambda value: {".": LEAF, **{f"f:{key}": walker(value[key]) for key in sorted(value)}} if value else LEAF


def _added_struct(schema: StructSchema) -> Walker:
    walkers: dict[str, _Below] = {}

    def walk(value: Any) -> FieldSet:
        if not value:
            return LEAF
        if not walkers:
            walkers.update({name: _below(name, field.schema) for name, field in schema.fields.items()})
        node: FieldSet = {".": LEAF}
        for name in sorted(value):
            if name in walkers:
                element, walker = walkers[name]
                node[element] = LEAF if walker is None else walker(value[name])
            else:
                node |= _undeclared(schema, name, value[name])
        return node

    return walk


def _below(name: str, schema: Schema) -> _Below:
    walker = addition_walker(schema)
    return f"f:{name}", None if walker is _leaf else walker


def _added_list(schema: ListSchema) -> Walker:
    walkers: list[Walker] = []

    def walk(value: Any) -> FieldSet:
        if not value:
            return LEAF
        if not walkers:
            walkers.append(addition_walker(schema.items))
        walker = walkers[0]
        if len(value) == 1:
            return {".": LEAF, item_element(schema, value[0]): walker(value[0])}
        node: FieldSet = {
            element: walker(items[0]) if len(items) == 1 else LEAF for element, items in indexed(schema, value).items()
        }
        return {".": LEAF, **in_order(node)}

    return walk
