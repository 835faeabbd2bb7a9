"""Decoders and encoders of API types, created from Go declarations on first use."""

from collections.abc import Callable
from typing import Final

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.field_facts import FieldFacts, GoPackage
from memkube.apimachinery.model import Document
from memkube.apimachinery.protobuf.encoding import Encoder
from memkube.apimachinery.protobuf.fields import Embedded, Field, Map, Message, Repeated, Single, Value
from memkube.apimachinery.protobuf.go_types import ListShape, MapShape, ScalarShape, Shape, Shapes, WrappedShape
from memkube.apimachinery.protobuf.scalars import JSON, SCALARS
from memkube.apimachinery.protobuf.unions import UNIONS, member_name
from memkube.apimachinery.protobuf.wire import BYTES, WireReader
from memkube.apimachinery.schema import StructSchema

_ITEMS: Final = "items"


class Messages:
    """Decodes and encodes protobuf messages, by the declarations of Go structs.

    `packages` is a function that returns the Go package at an import path.
    """

    def __init__(self, packages: Callable[[str], GoPackage]) -> None:
        self._packages = packages
        self._shapes = Shapes(packages)
        self._encoder = Encoder(packages)
        self._messages: dict[tuple[str, str], Message] = {}

    def encode(self, path: str, name: str, document: Document) -> bytes:
        """Encode a struct declared in the Go package at `path`, with the same bytes as Kubernetes.

        `document` is valid JSON data; its kind and apiVersion are not encoded. Raises LookupError if the package has no
        such struct.
        """
        return self._encoder.encode(path, name, document)

    def decode(self, struct: StructSchema, data: bytes) -> Document:
        """Decode a protobuf message of the type `struct` into JSON data without kind and apiVersion.

        Raises DecodeError if the message is malformed, or if `struct` is a custom kind, which has no protobuf form.
        """
        if not struct.package:
            raise DecodeError(
                "object *unstructured.Unstructured does not implement the protobuf marshalling interface "
                "and cannot be encoded to a protobuf message"
            )
        return self._message(struct.package, struct.name).read(WireReader(data), {})

    def _message(self, path: str, name: str) -> Message:
        message = self._messages.get((path, name))
        if message is None:
            package = self._packages(path)
            numbered = {facts.number: facts for facts in package.fields(name) if facts.number is not None}
            fields = {
                number: self._field(package, facts, member_name(package, name, facts))
                for number, facts in numbered.items()
            }
            message = self._messages[path, name] = Message(name, fields)
        return message

    def _field(self, package: GoPackage, facts: FieldFacts, name: str) -> Field:
        if not name:
            path, embedded = package.resolve(facts.go_type)
            return Embedded(embedded, self._message(path, embedded))
        shape = self._shapes.of(package, facts.go_type)
        if isinstance(shape, MapShape):
            return Map(name, self._value(shape.value), facts.go_name)
        if isinstance(shape, ListShape):
            return Repeated(name, self._value(shape.item), facts.go_name)
        return Single(name, self._value(shape), facts.go_name)

    def _value(self, shape: Shape) -> Value:
        if isinstance(shape, ScalarShape):
            return JSON if shape.is_json else SCALARS[shape.type]
        if isinstance(shape, WrappedShape):
            return self._wrapped_list(shape)
        if isinstance(shape, ListShape | MapShape):
            raise LookupError(f"lists and maps inside lists and maps have no protobuf encoding: {shape}")
        path, name = shape.path, shape.name
        if name in UNIONS:
            json = UNIONS[name].json
            return Value(
                BYTES, lambda reader, _: json(self._message(path, name).read(reader.nested(), {})), lambda: json({})
            )
        return Value(
            BYTES, lambda reader, previous: self._message(path, name).read(reader.nested(), previous or {}), dict
        )

    def _wrapped_list(self, shape: WrappedShape) -> Value:
        message = Message(shape.name, {1: Repeated(_ITEMS, self._value(shape.item))})
        return Value(BYTES, lambda reader, _: message.read(reader.nested(), {}).get(_ITEMS, []), list)
