"""Encoding of JSON data as protobuf, with the same bytes as Kubernetes.

Source: the ``MarshalToSizedBuffer`` methods that gogo/protobuf generates. Fields are sorted by number, map entries by
key. Zero values of fields are written, except those of pointers, lists, maps and bytes.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from memkube.apimachinery.field_facts import FieldFacts, GoPackage
from memkube.apimachinery.model import Document
from memkube.apimachinery.protobuf.go_types import (
    ListShape,
    MapShape,
    ScalarShape,
    Shape,
    Shapes,
    StructShape,
    WrappedShape,
)
from memkube.apimachinery.protobuf.scalar_encoding import SCALARS, ScalarEncoder, WriteValue
from memkube.apimachinery.protobuf.unions import UNIONS, member_name
from memkube.apimachinery.protobuf.wire import BYTES, delimited, tag

_KEY: Final = tag(1, BYTES)
_FIRST: Final = 1
_SECOND: Final = 2
_LEFT_OUT: Final = b""
_Write: TypeAlias = Callable[[Any], bytes]
"""Function that encodes the value of a field, with its tag. For a repeated field, it encodes all items."""


class _Field(NamedTuple):
    """Encoder of one field of a struct.

    A field without a name is an embedded struct, whose fields are inlined in JSON.
    """

    name: str
    write: _Write
    zero: bytes
    """Encoding of the field if the JSON object does not contain it."""


class _Struct:
    """Encodes the structs of one type as protobuf messages."""

    def __init__(self, fields: Sequence[_Field]) -> None:
        self._zeros = [field.zero for field in fields]
        self._named: Mapping[str, tuple[int, _Write]] = {
            field.name: (at, field.write) for at, field in enumerate(fields) if field.name
        }
        self._embedded = [(at, field.write) for at, field in enumerate(fields) if not field.name]

    def zero(self) -> bytes:
        """Return the encoding of a struct whose fields all have Go's zero values."""
        return b"".join(self._zeros)

    def write(self, document: Document) -> bytes:
        """Encode a struct from its JSON object. A null field is encoded like a missing one."""
        parts, named = self._zeros.copy(), self._named
        for name, value in document.items():
            found = named.get(name)
            if found is not None and value is not None:
                at, write = found
                parts[at] = write(value)
        for at, write in self._embedded:
            parts[at] = write(document)
        return b"".join(parts)


class Encoder:
    """Encodes JSON data as protobuf, by the declarations of Go structs.

    `packages` is a function that returns the Go package at an import path.
    """

    def __init__(self, packages: Callable[[str], GoPackage]) -> None:
        self._packages = packages
        self._shapes = Shapes(packages)
        self._structs: dict[tuple[str, str], _Struct] = {}

    def encode(self, path: str, name: str, document: Document) -> bytes:
        """Encode a struct declared in the Go package at `path`.

        Raises LookupError if the package has no such struct.
        """
        return self._struct(path, name).write(document)

    def _struct(self, path: str, name: str) -> _Struct:
        struct = self._structs.get((path, name))
        if struct is None:
            package = self._packages(path)
            numbered = {facts.number: facts for facts in package.fields(name) if facts.number is not None}
            fields = [
                self._field(package, numbered[number], member_name(package, name, numbered[number]))
                for number in sorted(numbered)
            ]
            struct = self._structs[path, name] = _Struct(fields)
        return struct

    def _field(self, package: GoPackage, facts: FieldFacts, name: str) -> _Field:
        number = facts.number
        assert number is not None
        shape = self._shapes.of(package, facts.go_type)
        if isinstance(shape, MapShape):
            return _Field(name, self._map(number, shape), _LEFT_OUT)
        if isinstance(shape, ListShape):
            return _Field(name, self._list(number, shape.item), _LEFT_OUT)
        value = self._value(shape)
        start, write = tag(number, value.wire_type), value.write
        nullable = facts.pointer or isinstance(shape, WrappedShape) or shape == ScalarShape("bytes")
        zero = _LEFT_OUT if nullable else start + value.zero()
        return _Field(name, lambda found: start + write(found), zero)

    def _value(self, shape: Shape) -> ScalarEncoder:
        if isinstance(shape, ScalarShape):
            return SCALARS[shape.type]
        if isinstance(shape, WrappedShape):
            items = self._list(_FIRST, shape.item)
            return ScalarEncoder(BYTES, lambda found: delimited(items(found)), lambda: delimited(b""))
        if isinstance(shape, StructShape):
            return self._message(shape.path, shape.name)
        raise LookupError(f"lists and maps inside lists and maps have no protobuf encoding: {shape}")

    def _message(self, path: str, name: str) -> ScalarEncoder:
        """Return the encoder of a field whose type is the struct `name` of the Go package at `path`.

        The encoder of the struct itself is created on first use, because structs can be recursive.
        """
        union = UNIONS.get(name)

        def write(found: Any) -> bytes:
            return delimited(self._struct(path, name).write(found if union is None else union.fields(found)))

        return ScalarEncoder(BYTES, write, lambda: delimited(self._struct(path, name).zero()))

    def _list(self, number: int, shape: Shape) -> _Write:
        item = self._value(shape)
        start, write = tag(number, item.wire_type), _or_zero(item)
        return lambda found: b"".join([start + write(value) for value in found])

    def _map(self, number: int, shape: MapShape) -> _Write:
        value = self._value(shape.value)
        start, second, write = tag(number, BYTES), tag(_SECOND, value.wire_type), _or_zero(value)

        def entries(found: Mapping[str, Any]) -> bytes:
            # Go sorts map keys by their UTF-8 bytes. Python sorts strings by code points, which gives the same order.
            entries = [(delimited(key.encode()), write(found[key])) for key in sorted(found)]
            return b"".join([start + delimited(b"%s%s%s%s" % (_KEY, key, second, item)) for key, item in entries])

        return entries


def _or_zero(value: ScalarEncoder) -> WriteValue:
    """Return a function that encodes list items or map values; it encodes null like the zero value of their type.

    `value` has the functions that encode values of this type, and its zero value.
    """
    write, zero = value.write, value.zero
    return lambda found: zero() if found is None else write(found)
