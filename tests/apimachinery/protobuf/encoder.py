"""Writes documents as protobuf, as a typed client does: the counterpart of what is tested."""

from base64 import b64decode
from collections.abc import Mapping
from datetime import datetime
from struct import pack
from typing import Any, TypeAlias

import orjson

from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.protobuf import FieldNumbers
from memkube.apimachinery.schema import FieldSchema, ListSchema, MapSchema, Schema, StructSchema

_Present: TypeAlias = list[tuple[tuple[str, ...], FieldSchema]]


def varint(value: int) -> bytes:
    """An integer; a negative one as 64-bit two's complement."""
    value &= 2**64 - 1
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def number(at: int, value: int) -> bytes:
    """A field that holds a varint."""
    return varint(at << 3) + varint(value)


def block(at: int, content: bytes) -> bytes:
    """A field that holds bytes, text or a message."""
    return varint(at << 3 | 2) + varint(len(content)) + content


def enveloped(api_version: str, kind: str, message: bytes) -> bytes:
    """A request body."""
    type_meta = block(1, api_version.encode()) + block(2, kind.encode())
    return b"k8s\x00" + block(1, type_meta) + block(2, message) + block(3, b"") + block(4, b"")


class Encoder:
    """Encodes by the schema and the same field numbers that decoding goes by."""

    def __init__(self, numbers: FieldNumbers) -> None:
        self._numbers = numbers

    def message(self, struct: StructSchema, document: Document) -> bytes:
        """The message of a document."""
        assert struct.model is not None
        present = [(field.embedded, field) for name, field in struct.fields.items() if name in document]
        return self._struct(struct.model, struct.model, present, document)

    def _struct(self, owner: type[ApiModel], model: type[ApiModel], present: _Present, document: Document) -> bytes:
        numbers = self._table(owner)
        own = [field for path, field in present if not path]
        encoded = b"".join(self._field(numbers[field.name], field.schema, document[field.name]) for field in own)
        for name in dict.fromkeys(path[0] for path, _ in present if path and path[0] != "TypeMeta"):
            base = next(base for base in model.__mro__ if base.__name__ == name)
            inner = [(path[1:], field) for path, field in present if path[:1] == (name,)]
            encoded += block(numbers[name], self._struct(base, model, inner, document))
        return encoded

    def _table(self, model: type[ApiModel]) -> Mapping[str, int]:
        tables = (table for package, table in self._numbers.items() if model.__module__.startswith(package))
        return {name: int(at) for name, at in (pair.split("=") for pair in next(tables)[model.__name__].split())}

    def _field(self, at: int, schema: Schema, value: Any) -> bytes:
        if isinstance(schema, ListSchema):
            return b"".join(self._field(at, schema.items, item) for item in value)
        if isinstance(schema, MapSchema):
            return b"".join(block(at, self._entry(schema.values, key, item)) for key, item in value.items())
        if isinstance(schema, StructSchema):
            return block(at, self.message(schema, value))
        return _scalar(at, schema.type, value)

    def _entry(self, schema: Schema, key: str, value: Any) -> bytes:
        wrapped = isinstance(schema, ListSchema)
        item = block(2, self._field(1, schema, value)) if wrapped else self._field(2, schema, value)
        return block(1, key.encode()) + item


def _scalar(at: int, kind: str, value: Any) -> bytes:
    if kind in ("int32", "int64", "bool"):
        return number(at, int(value))
    if kind == "float64":
        return varint(at << 3 | 1) + pack("<d", value)
    return block(at, _bytes(kind, value))


def _bytes(kind: str, value: Any) -> bytes:
    if kind in ("time", "microtime"):
        instant = datetime.fromisoformat(value)
        return number(1, int(instant.timestamp())) + number(2, instant.microsecond * 1000)
    if kind == "int-or-string":
        is_text = isinstance(value, str)
        return number(1, is_text) + (block(3, value.encode()) if is_text else number(2, value))
    if kind == "raw":
        return block(1, orjson.dumps(value))
    if kind == "bytes":
        return b64decode(value)
    return block(1, value.encode()) if kind == "quantity" else bytes(value.encode())
