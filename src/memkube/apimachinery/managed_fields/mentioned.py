"""The fields that a configuration or an object mentions. Source: structured-merge-diff's ``ToFieldSet``."""

from typing import Any

from memkube.apimachinery.managed_fields.field_set import LEAF, FieldSet, in_order
from memkube.apimachinery.managed_fields.shapes import child_schema, element_schema, indexed, is_atomic, is_named_field
from memkube.apimachinery.schema import ListSchema, Schema


def mentioned(schema: Schema, value: Any) -> FieldSet:
    """Every leaf, item and key of a map in an object. Raises MissingKeysError."""
    if isinstance(schema, ListSchema):
        return _items(schema, value) if isinstance(value, list) else {}
    return _fields(schema, value) if isinstance(value, dict) else {}


def with_named_fields(schema: Schema | None, fields: FieldSet) -> FieldSet:
    """The set with the fields of structs that lead to members added as members themselves."""
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
        children = mentioned(below, item)
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
        children = {} if atomic else mentioned(schema.items, items[0])
        node[element] = {".": LEAF, **children} if children else LEAF
    return in_order(node)
