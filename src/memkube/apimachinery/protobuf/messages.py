"""Messages of API types: made from their schemas and the numbers of their fields, one at a time, when first needed."""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.protobuf.fields import Embedded, Field, Map, Message, Repeated, Single, Value
from memkube.apimachinery.protobuf.scalars import SCALARS
from memkube.apimachinery.protobuf.wire import BYTES, WireReader
from memkube.apimachinery.schema import FieldSchema, ListSchema, MapSchema, Scalar, Schema, StructSchema

FieldNumbers: TypeAlias = Mapping[str, Mapping[str, str]]
"""The numbers of a struct's fields, ``metadata=1 spec=2``, by package and struct; embedded structs count as fields."""

_IN_ENVELOPE: Final = "TypeMeta"
_WRAPPED_ITEMS: Final = "items"
_Inner: TypeAlias = list[tuple[tuple[str, ...], FieldSchema]]


class Messages:
    """Reads messages of the types whose field numbers it has been given."""

    def __init__(self, numbers: FieldNumbers) -> None:
        self._numbers = numbers
        self._messages: dict[type[ApiModel], Message] = {}

    def decode(self, struct: StructSchema, data: bytes) -> Document:
        """The object in a message, as JSON data without kind and apiVersion. Raises DecodeError."""
        if struct.model is None:
            raise DecodeError(
                "object *unstructured.Unstructured does not implement the protobuf marshalling interface "
                "and cannot be encoded to a protobuf message"
            )
        return self._message(struct, struct.model).read(WireReader(data), {})

    def _message(self, struct: StructSchema, model: type[ApiModel]) -> Message:
        message = self._messages.get(model)
        if message is None:
            fields = [(field.embedded, field) for field in struct.fields.values()]
            message = self._messages[model] = Message(struct.name, self._fields(model, model, fields))
        return message

    def _fields(self, owner: type[ApiModel], model: type[ApiModel], fields: _Inner) -> Mapping[int, Field]:
        """The fields of `owner`, which is `model` or a struct that it embeds."""
        numbers = self._numbers_of(owner)
        by_number: dict[int, Field] = {}
        embedded: dict[str, _Inner] = {}
        for path, field in fields:
            if path:
                embedded.setdefault(path[0], []).append((path[1:], field))
            else:
                by_number[numbers[field.name]] = self._field(field)
        for name, inner in embedded.items():
            if name != _IN_ENVELOPE:
                base = next(base for base in model.__mro__ if base.__name__ == name)
                by_number[numbers[name]] = Embedded(name, Message(name, self._fields(base, model, inner)))
        return by_number

    def _numbers_of(self, model: type[ApiModel]) -> dict[str, int]:
        for package in _packages(model.__module__):
            if package in self._numbers:
                pairs = (pair.partition("=") for pair in self._numbers[package][model.__name__].split())
                return {name: int(number) for name, _, number in pairs}
        raise LookupError(f"{model.__module__} has no field numbers")

    def _field(self, field: FieldSchema) -> Field:
        schema = field.schema
        if isinstance(schema, ListSchema):
            return Repeated(field.name, self._value(schema.items))
        if isinstance(schema, MapSchema):
            return Map(field.name, self._value(schema.values))
        return Single(field.name, self._value(schema))

    def _value(self, schema: Schema) -> Value:
        if isinstance(schema, Scalar):
            return SCALARS[schema.type]
        if isinstance(schema, StructSchema):
            return self._struct_value(schema)
        if isinstance(schema, ListSchema):
            return self._wrapped_list(schema)
        raise LookupError("protobuf has no maps of maps")

    def _struct_value(self, struct: StructSchema) -> Value:
        model = struct.model
        assert model is not None
        return Value(
            BYTES,
            lambda reader, previous: self._message(struct, model).read(reader.nested(), previous or {}),
            dict,
        )

    def _wrapped_list(self, schema: ListSchema) -> Value:
        """A list inside a map, for which the reference makes a message around its items."""
        message = Message(schema.name, {1: Repeated(_WRAPPED_ITEMS, self._value(schema.items))})
        return Value(BYTES, lambda reader, _: message.read(reader.nested(), {}).get(_WRAPPED_ITEMS, []), list)


def _packages(module: str) -> Iterable[str]:
    while module:
        yield module
        module = module.rpartition(".")[0]
