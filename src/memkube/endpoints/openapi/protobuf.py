"""Encoding of the OpenAPI v2 document as protobuf, for clients that do not know OpenAPI v3.

The messages are those of gnostic's ``openapiv2/OpenAPIv2.proto``. Only the fields that `memkube.endpoints.openapi.v2`
uses are encoded.
"""

import struct
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

import orjson

from memkube.endpoints.openapi.components import Json
from memkube.endpoints.responses.yaml_text import to_yaml

_Encode: TypeAlias = Callable[[Any], bytes]
_Fields: TypeAlias = Mapping[str, tuple[int, _Encode]]

_VARINT: Final = 0
_DOUBLE: Final = 1
_BYTES: Final = 2
_LIMITS: Final = {"multipleOf": 6, "maximum": 7, "minimum": 9}
_COUNTS: Final = {
    "maxLength": 11,
    "minLength": 12,
    "maxItems": 14,
    "minItems": 15,
    "maxProperties": 17,
    "minProperties": 18,
}
_VALUES: Final = {"default": 5, "example": 30}


def v2_protobuf(document: Json) -> bytes:
    """Encode an OpenAPI v2 document as protobuf."""
    return _message(
        document,
        {
            "swagger": (1, _text),
            "info": (2, _info),
            "paths": (8, _paths),
            "definitions": (9, lambda value: _named(1, value, _schema)),
            "security": (12, lambda value: _named(1, value, _string_array)),
            "securityDefinitions": (13, lambda value: _named(1, value, _security)),
        },
    )


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _field(number: int, payload: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(payload)) + payload


def _flag(number: int) -> bytes:
    return _varint(number << 3 | _VARINT) + b"\x01"


def _text(value: str) -> bytes:
    return value.encode()


def _any(value: Any) -> bytes:
    return _field(2, _yaml(orjson.dumps(value)))


@lru_cache(maxsize=4096)
def _yaml(text: bytes) -> bytes:
    """Convert a JSON text to YAML in block style, in which gnostic writes values of any type, without folding lines.

    Many operations and schemas have equal values, and writing YAML is slow, so results are cached.
    """
    # PyYAML writes the line "..." after a document that is a scalar.
    return to_yaml(orjson.loads(text), width=2**31 - 1).removesuffix(b"...\n")


def _message(value: Json, fields: _Fields, extensions: int = 0) -> bytes:
    """Encode a JSON object as a protobuf message.

    Lists become repeated fields. Booleans are written only if they are true. `extensions` is the number of the field
    for keys that begin with ``x-``, or 0.
    """
    encoded = bytearray()
    for key, item in value.items():
        if key in fields:
            number, encode = fields[key]
            for element in item if isinstance(item, list) else [item]:
                encoded += _flag(number) if element is True else _field(number, encode(element))
        elif extensions and key.startswith("x-"):
            encoded += _field(extensions, _pair(key, _any(item)))
    return bytes(encoded)


def _pair(name: str, value: bytes) -> bytes:
    return _field(1, name.encode()) + _field(2, value)


def _named(number: int, values: Json, encode: _Encode) -> bytes:
    return b"".join(_field(number, _pair(name, encode(value))) for name, value in values.items())


def _info(value: Json) -> bytes:
    return _message(value, {"title": (1, _text), "version": (2, _text)})


def _string_array(values: list[str]) -> bytes:
    return b"".join(_field(1, _text(value)) for value in values)


def _security(value: Json) -> bytes:
    fields: _Fields = {"type": (1, _text), "name": (2, _text), "in": (3, _text), "description": (4, _text)}
    return _field(2, _message(value, fields))


def _paths(value: Json) -> bytes:
    return _named(2, value, _path_item)


def _path_item(value: Json) -> bytes:
    methods = ("get", "put", "post", "delete", "options", "head", "patch")
    fields: _Fields = {method: (number, _operation) for number, method in enumerate(methods, start=2)}
    return _message(value, {**fields, "parameters": (9, _parameter)}, extensions=10)


def _operation(value: Json) -> bytes:
    fields: _Fields = {
        "tags": (1, _text),
        "description": (3, _text),
        "operationId": (5, _text),
        "produces": (6, _text),
        "consumes": (7, _text),
        "parameters": (8, _parameter),
        "responses": (9, lambda responses: _named(1, responses, _response)),
        "schemes": (10, _text),
    }
    return _message(value, fields, extensions=13)


def _parameter(value: Json) -> bytes:
    """Encode a parameter as a ParametersItem message, which contains a Parameter message."""
    return _field(1, _body_parameter(value) if value["in"] == "body" else _field(2, _plain_parameter(value)))


def _body_parameter(value: Json) -> bytes:
    fields: _Fields = {
        "description": (1, _text),
        "name": (2, _text),
        "in": (3, _text),
        "required": (4, _text),
        "schema": (5, _schema),
    }
    return _field(1, _message(value, fields))


def _plain_parameter(value: Json) -> bytes:
    shared = {"required": (1, _text), "in": (2, _text), "description": (3, _text), "name": (4, _text)}
    if value["in"] == "path":
        return _field(4, _message(value, {**shared, "type": (5, _text), "uniqueItems": (19, _text)}))
    return _field(3, _message(value, {**shared, "type": (6, _text), "uniqueItems": (20, _text)}))


def _response(value: Json) -> bytes:
    fields: _Fields = {"description": (1, _text), "schema": (2, lambda schema: _field(1, _schema(schema)))}
    return _field(1, _message(value, fields))


def _schema(value: Json) -> bytes:
    fields: _Fields = {
        "$ref": (1, _text),
        "format": (2, _text),
        "title": (3, _text),
        "description": (4, _text),
        "exclusiveMaximum": (8, _text),
        "exclusiveMinimum": (10, _text),
        "pattern": (13, _text),
        "uniqueItems": (16, _text),
        "required": (19, _text),
        "type": (22, lambda kind: _field(1, _text(kind))),
        "items": (23, lambda schema: _field(1, _schema(schema))),
        "properties": (25, lambda properties: _named(1, properties, _schema)),
        "externalDocs": (29, lambda docs: _message(docs, {"description": (1, _text), "url": (2, _text)})),
    }
    return _message(value, fields, extensions=31) + _values(value)


def _values(schema: Json) -> bytes:
    """Encode the keywords of a schema with numbers or arbitrary values (``maximum``, ``enum``), and some others."""
    encoded = b"".join(_field(20, _any(value)) for value in schema.get("enum", ()))
    for name, value in schema.items():
        if name in _LIMITS:
            encoded += _varint(_LIMITS[name] << 3 | _DOUBLE) + struct.pack("<d", value)
        elif name in _COUNTS:
            encoded += _varint(_COUNTS[name] << 3 | _VARINT) + _varint(value % 2**64)
        elif name in _VALUES:
            encoded += _field(_VALUES[name], _any(value))
        elif name == "additionalProperties":
            encoded += _field(21, _flag(2) if value is True else _field(1, _schema(value)) if value else b"")
    return encoded
