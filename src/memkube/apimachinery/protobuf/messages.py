"""Messages of API types: made from their schemas and the numbers of their fields, one at a time, when first needed."""

from collections.abc import Callable, Mapping
from typing import Final

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.field_facts import FieldFacts, GoPackage
from memkube.apimachinery.model import Document
from memkube.apimachinery.protobuf.fields import Embedded, Field, Map, Message, Repeated, Single, Value
from memkube.apimachinery.protobuf.scalars import SCALARS
from memkube.apimachinery.protobuf.wire import BYTES, WireReader
from memkube.apimachinery.schema import FieldSchema, ListSchema, MapSchema, Scalar, Schema, StructSchema

_WRAPPED_ITEMS: Final = "items"


class Messages:
    """Reads messages of types by the declarations of their packages, which `packages` finds by their path."""

    def __init__(self, packages: Callable[[str], GoPackage]) -> None:
        self._packages = packages
        self._messages: dict[StructSchema, Message] = {}

    def decode(self, struct: StructSchema, data: bytes) -> Document:
        """The object in a message, as JSON data without kind and apiVersion. Raises DecodeError."""
        if not struct.package:
            raise DecodeError(
                "object *unstructured.Unstructured does not implement the protobuf marshalling interface "
                "and cannot be encoded to a protobuf message"
            )
        return self._message(struct).read(WireReader(data), {})

    def _message(self, struct: StructSchema) -> Message:
        message = self._messages.get(struct)
        if message is None:
            package = self._packages(struct.package)
            fields = self._fields(package, struct.name, struct.fields)
            message = self._messages[struct] = Message(struct.name, fields)
        return message

    def _fields(self, package: GoPackage, name: str, fields: Mapping[str, FieldSchema]) -> Mapping[int, Field]:
        """The fields of a struct, itself or embedded in the one that has `fields`."""
        by_number: dict[int, Field] = {}
        for facts in package.fields(name):
            if facts.number is None:
                continue
            if not facts.name:
                by_number[facts.number] = self._embedded(package, facts, fields)
            elif facts.name in fields:
                by_number[facts.number] = self._field(fields[facts.name])
        return by_number

    def _embedded(self, package: GoPackage, facts: FieldFacts, fields: Mapping[str, FieldSchema]) -> Field:
        path, name = package.resolve(facts.go_type)
        return Embedded(name, Message(name, self._fields(self._packages(path), name, fields)))

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
            return Value(
                BYTES, lambda reader, previous: self._message(schema).read(reader.nested(), previous or {}), dict
            )
        if isinstance(schema, ListSchema):
            return self._wrapped_list(schema)
        raise LookupError("protobuf has no maps of maps")

    def _wrapped_list(self, schema: ListSchema) -> Value:
        """A list inside a map, for which the reference makes a message around its items."""
        message = Message(schema.name, {1: Repeated(_WRAPPED_ITEMS, self._value(schema.items))})
        return Value(BYTES, lambda reader, _: message.read(reader.nested(), {}).get(_WRAPPED_ITEMS, []), list)
