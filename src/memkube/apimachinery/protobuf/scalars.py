"""Decoding of API scalars from protobuf; some scalars are messages in protobuf."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from struct import unpack
from typing import Any, Final

from memkube.apimachinery.base64 import encode_base64
from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.json_body import parse_json
from memkube.apimachinery.model import Document
from memkube.apimachinery.protobuf.fields import Field, Message, Single, Value, text
from memkube.apimachinery.protobuf.wire import BYTES, FIXED64, VARINT, signed
from memkube.apimachinery.scalars import InvalidJson
from memkube.apimachinery.schema import ScalarType
from memkube.apimachinery.time import MicroTime, Time

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NANOSECONDS: Final = 1000

STRING: Final = Value(BYTES, lambda reader, _: text(reader.block()), str)
RAW_BYTES: Final = Value(BYTES, lambda reader, _: reader.block(), bytes)
_BASE64: Final = Value(BYTES, lambda reader, _: encode_base64(reader.block()), str)
_BOOL: Final = Value(VARINT, lambda reader, _: reader.varint() != 0, bool)
_INT32: Final = Value(VARINT, lambda reader, _: signed(reader.varint(), 32), int)
_INT64: Final = Value(VARINT, lambda reader, _: signed(reader.varint(), 64), int)
_FLOAT64: Final = Value(FIXED64, lambda reader, _: unpack("<d", reader.fixed(8))[0], float)


def _converted(name: str, fields: Mapping[int, Field], convert: Callable[[Document], Any]) -> Value:
    """Return the decoder of a value that is a message in protobuf and a scalar in JSON.

    `fields` are the fields of the message by number, and `convert` makes the scalar from their values.
    """
    message = Message(name, fields)
    return Value(BYTES, lambda reader, _: convert(message.read(reader.nested(), {})), lambda: convert({}))


def _instant(kind: type[Time]) -> Callable[[Document], str | None]:
    def convert(timestamp: Document) -> str | None:
        if not timestamp:
            return None
        microseconds = int(timestamp.get("nanos", 0) / _NANOSECONDS) if kind is MicroTime else 0
        try:
            return kind.at(_EPOCH + timedelta(seconds=timestamp.get("seconds", 0), microseconds=microseconds))
        except OverflowError:
            raise DecodeError("year is outside of range [1,9999]") from None

    return convert


def _int_or_string(parts: Document) -> int | str:
    kind = parts.get("type", 0)
    if kind not in (0, 1):
        raise DecodeError("impossible IntOrString.Type")
    found: int | str = parts.get("strVal", "") if kind else parts.get("intVal", 0)
    return found


def _json(holder: Document) -> Any:
    raw = holder.get("raw")
    return parse_json(raw) if raw else None


def _raw_extension(holder: Document) -> Any:
    if "raw" not in holder:
        return None
    try:
        return parse_json(holder["raw"])
    except DecodeError as error:
        return InvalidJson(holder["raw"].decode(errors="replace"), error.message)


_TIMESTAMP: Final = {1: Single("seconds", _INT64), 2: Single("nanos", _INT32)}
_INT_OR_STRING: Final = {1: Single("type", _INT64), 2: Single("intVal", _INT32), 3: Single("strVal", STRING)}

JSON: Final = _converted("JSON", {1: Single("raw", RAW_BYTES)}, _json)
SCALARS: Final[Mapping[ScalarType, Value]] = {
    "string": STRING,
    "bytes": _BASE64,
    "bool": _BOOL,
    "int32": _INT32,
    "int64": _INT64,
    "float64": _FLOAT64,
    "quantity": _converted("Quantity", {1: Single("string", STRING)}, lambda quantity: quantity.get("string", "0")),
    "time": _converted("Timestamp", _TIMESTAMP, _instant(Time)),
    "microtime": _converted("Timestamp", _TIMESTAMP, _instant(MicroTime)),
    "int-or-string": _converted("IntOrString", _INT_OR_STRING, _int_or_string),
    "raw": _converted("RawExtension", {1: Single("raw", RAW_BYTES)}, _raw_extension),
}
