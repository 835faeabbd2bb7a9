"""The field numbers of all served types: none is missing, none is there twice."""

from collections.abc import Mapping
from typing import Any

import pytest

from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.protobuf import Messages
from memkube.apimachinery.schema import ListSchema, MapSchema, Scalar, ScalarType, Schema, StructSchema, struct_of
from memkube.apis.field_numbers import FIELD_NUMBERS
from tests.apimachinery.protobuf.encoder import Encoder
from tests.apis.served_types import body_types

_EXAMPLES: Mapping[ScalarType, Any] = {
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


def _filled(schema: Schema) -> Any:
    """A value that leaves out nothing that its type has."""
    if isinstance(schema, Scalar):
        return _EXAMPLES[schema.type]
    if isinstance(schema, ListSchema):
        return [_filled(schema.items)]
    return {"key": _filled(schema.values)} if isinstance(schema, MapSchema) else _filled_struct(schema)


def _filled_struct(struct: StructSchema) -> Document:
    fields = struct.fields.items()
    return {name: _filled(field.schema) for name, field in fields if field.embedded != ("TypeMeta",)}


@pytest.mark.parametrize("model", body_types(), ids=lambda model: model.__name__)
def test_every_field_of_a_served_type_has_a_number(model: type[ApiModel]) -> None:
    document = _filled_struct(struct_of(model))
    message = Encoder(FIELD_NUMBERS).message(struct_of(model), document)
    assert Messages(FIELD_NUMBERS).decode(struct_of(model), message) == document


@pytest.mark.parametrize("package", FIELD_NUMBERS)
def test_no_two_fields_of_a_struct_have_the_same_number(package: str) -> None:
    for struct, fields in FIELD_NUMBERS[package].items():
        numbers = [pair.partition("=")[2] for pair in fields.split()]
        assert len(set(numbers)) == len(numbers), struct
