"""Messages of API types: made from the declarations of their fields, one at a time, when first needed."""

from collections.abc import Callable, Mapping
from typing import Final

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.field_facts import FieldFacts, GoPackage
from memkube.apimachinery.model import Document
from memkube.apimachinery.protobuf.fields import Embedded, Field, Map, Message, Repeated, Single, Value
from memkube.apimachinery.protobuf.scalars import SCALARS
from memkube.apimachinery.protobuf.wire import BYTES, WireReader
from memkube.apimachinery.schema import ScalarType, StructSchema

_ITEMS: Final = "items"
_BASIC: Final[Mapping[str, ScalarType]] = {
    "string": "string",
    "bool": "bool",
    "int32": "int32",
    "int64": "int64",
    "float64": "float64",
    "[]byte": "bytes",
}
_WELL_KNOWN: Final[Mapping[str, ScalarType]] = {
    "Time": "time",
    "MicroTime": "microtime",
    "Quantity": "quantity",
    "IntOrString": "int-or-string",
    "RawExtension": "raw",
    "FieldsV1": "raw",
    "JSON": "raw",
}
"""Structs of the reference that are something simpler in JSON."""


class Messages:
    """Reads messages of types by the declarations of their packages, which `packages` finds by their path."""

    def __init__(self, packages: Callable[[str], GoPackage]) -> None:
        self._packages = packages
        self._messages: dict[tuple[str, str], Message] = {}

    def decode(self, struct: StructSchema, data: bytes) -> Document:
        """The object in a message, as JSON data without kind and apiVersion. Raises DecodeError."""
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
            fields = {number: self._field(package, facts) for number, facts in numbered.items()}
            message = self._messages[path, name] = Message(name, fields)
        return message

    def _field(self, package: GoPackage, facts: FieldFacts) -> Field:
        if not facts.name:
            path, name = package.resolve(facts.go_type)
            return Embedded(name, self._message(path, name))
        if facts.name == "-":
            raise LookupError(f"the JSON of {package.path} {facts.go_name} is not made from its fields")
        declaring, go_type = self._spelled_out(package, facts.go_type.removeprefix("*"))
        if go_type.startswith("map["):
            return Map(facts.name, self._value(declaring, go_type.partition("]")[2]), facts.go_name)
        if go_type.startswith("[]") and go_type not in _BASIC:
            return Repeated(facts.name, self._value(declaring, go_type.removeprefix("[]")), facts.go_name)
        return Single(facts.name, self._value(declaring, go_type), facts.go_name)

    def _spelled_out(self, package: GoPackage, go_type: str) -> tuple[GoPackage, str]:
        """What a named type is underneath, unless it is a struct or has a message of its own."""
        if go_type.startswith(("[]", "map[")):
            return package, go_type
        path, name = package.resolve(go_type)
        if not path or name in _WELL_KNOWN:
            return package, go_type
        declaring = self._packages(path)
        if name in declaring.types and name not in declaring.wrapped:
            return self._spelled_out(declaring, declaring.types[name])
        return declaring, name

    def _value(self, package: GoPackage, go_type: str) -> Value:
        package, go_type = self._spelled_out(package, go_type)
        if go_type in _BASIC:
            return SCALARS[_BASIC[go_type]]
        path, name = package.resolve(go_type)
        if name in _WELL_KNOWN:
            return SCALARS[_WELL_KNOWN[name]]
        if name in package.wrapped:
            return self._wrapped_list(package, name)
        return Value(
            BYTES, lambda reader, previous: self._message(path, name).read(reader.nested(), previous or {}), dict
        )

    def _wrapped_list(self, package: GoPackage, name: str) -> Value:
        """A list that is a value, for which the reference makes a message around its items."""
        items = Repeated(_ITEMS, self._value(package, package.types[name].removeprefix("[]")))
        message = Message(name, {1: items})
        return Value(BYTES, lambda reader, _: message.read(reader.nested(), {}).get(_ITEMS, []), list)
