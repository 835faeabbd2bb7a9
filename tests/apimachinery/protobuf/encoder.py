"""Encodes documents as protobuf, as a typed client does. The tested code decodes them."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import datetime
from struct import pack
from typing import Any

import orjson

from memkube.apimachinery.field_facts import GoPackage
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import FieldSchema, ListSchema, MapSchema, Schema, StructSchema


def varint(value: int) -> bytes:
    """Encode an integer as a varint; a negative one as 64-bit two's complement."""
    value &= 2**64 - 1
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def number(at: int, value: int) -> bytes:
    """Encode a varint field with this field number."""
    return varint(at << 3) + varint(value)


def block(at: int, content: bytes) -> bytes:
    """Encode a field of bytes, text or a message with this field number."""
    return varint(at << 3 | 2) + varint(len(content)) + content


def enveloped(api_version: str, kind: str, message: bytes) -> bytes:
    """Return a request body: Kubernetes' protobuf envelope around a message."""
    type_meta = block(1, api_version.encode()) + block(2, kind.encode())
    return b"k8s\x00" + block(1, type_meta) + block(2, message) + block(3, b"") + block(4, b"")


class Encoder:
    """Encodes documents by their schema and the tables of field facts that the decoder also uses."""

    def __init__(self, packages: Callable[[str], GoPackage]) -> None:
        self._packages = packages

    def message(self, struct: StructSchema, document: Document) -> bytes:
        """Encode a document as a message."""
        return self._struct(self._packages(struct.package), struct.name, struct.fields, document)

    def _struct(self, package: GoPackage, name: str, fields: Mapping[str, FieldSchema], document: Document) -> bytes:
        encoded = b""
        for facts in package.fields(name):
            if facts.number and not facts.name:
                path, embedded = package.resolve(facts.go_type)
                inner = self._struct(self._packages(path), embedded, fields, document)
                encoded += block(facts.number, inner) if inner else b""
            elif facts.name in document:
                assert facts.number is not None, facts
                encoded += self._field(facts.number, fields[facts.name].schema, document[facts.name])
        return encoded

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
