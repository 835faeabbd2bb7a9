"""The names of Go types, as decoding errors spell them."""

from typing import Any

from memkube.apimachinery.decoding.json_tree import Number
from memkube.apimachinery.schema import ListSchema, MapSchema, Scalar, Schema, StructSchema

_ITEM_NAMES = {
    "quantity": "resource.Quantity",
    "time": "v1.Time",
    "microtime": "v1.MicroTime",
    "int-or-string": "intstr.IntOrString",
    "raw": "interface {}",
}


def type_name(schema: Schema) -> str:
    """The type of a value, such as ``[]v1.Container``."""
    if isinstance(schema, StructSchema):
        return f"v1.{schema.name}"
    if isinstance(schema, ListSchema):
        return schema.name or f"[]{_item_name(schema.items)}"
    if isinstance(schema, MapSchema):
        return schema.name or f"map[string]{_item_name(schema.values)}"
    return schema.name


def value_name(value: Any) -> str:
    """What kind of JSON value was met; numbers without their digits."""
    if isinstance(value, dict):
        return "object"
    if isinstance(value, Number) or (isinstance(value, int | float) and not isinstance(value, bool)):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "bool"
    if value is None:
        return "null"
    return "object" if hasattr(value, "items") else "array"


def _item_name(schema: Schema) -> str:
    return _ITEM_NAMES.get(schema.type, schema.name) if isinstance(schema, Scalar) else type_name(schema)
