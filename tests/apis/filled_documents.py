"""Documents in which every field of their type is set."""

from collections.abc import Mapping
from typing import Any, Final

from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import ListSchema, MapSchema, Scalar, ScalarType, Schema, StructSchema

_EXAMPLES: Final[Mapping[ScalarType, Any]] = {
    "string": "text",
    "bytes": "/wBiaW5hcnk=",
    "bool": True,
    "int32": -5,
    "int64": 2**40,
    "float64": 1.5,
    "quantity": "100m",
    "time": "2026-01-02T03:04:05Z",
    "microtime": "2026-01-02T03:04:05.000006Z",
    "int-or-string": "50%",
    "raw": {"f:metadata": {}},
}
_UNIONS: Final = frozenset({"v1.JSONSchemaPropsOrArray", "v1.JSONSchemaPropsOrBool", "v1.JSONSchemaPropsOrStringArray"})
"""Types that hold one of several types of values. Each has its own protobuf message."""


def filled_struct(struct: StructSchema, around: tuple[StructSchema, ...] = ()) -> Document:
    """Return a document with every field of a struct, recursively.

    A struct that contains itself is nested once.
    """
    fields = struct.fields.items()
    inside = (*around, struct.plain)
    found = {name: _filled(field.schema, inside) for name, field in fields if field.embedded != ("TypeMeta",)}
    return {name: value for name, value in found.items() if value is not None}


def _filled(schema: Schema, around: tuple[StructSchema, ...]) -> Any:
    if isinstance(schema, Scalar):
        return None if schema.name in _UNIONS else _EXAMPLES[schema.type]
    if isinstance(schema, StructSchema):
        return None if schema.plain in around else filled_struct(schema, around)
    item = _filled(schema.items if isinstance(schema, ListSchema) else schema.values, around)
    if item is None:
        return None
    return {"key": item} if isinstance(schema, MapSchema) else [item]
