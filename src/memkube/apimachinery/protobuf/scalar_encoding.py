"""Encoding of API scalars as protobuf (the counterpart of ``scalars.py``)."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from struct import pack
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from memkube.apimachinery.go_strings import go_bytes
from memkube.apimachinery.protobuf.wire import BYTES, FIXED64, VARINT, delimited, tag, varint
from memkube.apimachinery.schema import ScalarType

WriteValue: TypeAlias = Callable[[Any], bytes]
"""Function that encodes the value of a field, without the tag of the field."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)
_NANOSECONDS: Final = 1000
_ZERO_TIME: Final = "0001-01-01T00:00:00Z"
_EMPTY: Final = delimited(b"")
_TRUE, _FALSE = varint(1), varint(0)
_TEXT: Final = tag(1, BYTES)


class ScalarEncoder(NamedTuple):
    """Encodes the values of one scalar type, such as string or Time, as protobuf."""

    wire_type: int
    write: WriteValue
    zero: Callable[[], bytes]
    """Function that encodes the zero value of the type in Go."""


def _string(value: str) -> bytes:
    return delimited(go_bytes(value))


def _bool(value: bool) -> bytes:
    return _TRUE if value else _FALSE


def _quantity(value: str) -> bytes:
    return delimited(_TEXT + delimited(value.encode()))


@lru_cache(maxsize=4096)
def _time(value: str) -> bytes:
    """Encode a time as a Timestamp; the zero time is empty.

    Results are cached, because conditions and managedFields often contain the same times.
    """
    if value == _ZERO_TIME:
        return _EMPTY
    seconds, rest = divmod(datetime.fromisoformat(value) - _EPOCH, _SECOND)
    nanos = rest.microseconds * _NANOSECONDS
    return delimited(b"%s%s%s%s" % (tag(1, VARINT), varint(seconds), tag(2, VARINT), varint(nanos)))


def _int_or_string(value: int | str) -> bytes:
    """Encode an IntOrString as a message with a type, a number and a string.

    As in Go, the member that the type does not select is written with its zero value.
    """
    is_text = isinstance(value, str)
    number, text = (0, value) if isinstance(value, str) else (value, "")
    return delimited(
        b"".join((tag(1, VARINT), _bool(is_text), tag(2, VARINT), varint(number), tag(3, BYTES), _string(text)))
    )


def _raw(value: Any) -> bytes:
    return delimited(tag(1, BYTES) + delimited(orjson.dumps(value)))


def _scalar(wire_type: int, write: WriteValue, zero: Any) -> ScalarEncoder:
    written = write(zero)
    return ScalarEncoder(wire_type, write, lambda: written)


SCALARS: Final[Mapping[ScalarType, ScalarEncoder]] = {
    "string": _scalar(BYTES, _string, ""),
    "bytes": _scalar(BYTES, lambda value: delimited(b64decode(value)), ""),
    "bool": _scalar(VARINT, _bool, zero=False),
    "int32": _scalar(VARINT, varint, 0),
    "int64": _scalar(VARINT, varint, 0),
    "float64": _scalar(FIXED64, lambda value: pack("<d", value), 0.0),
    "quantity": _scalar(BYTES, _quantity, "0"),
    "time": _scalar(BYTES, _time, _ZERO_TIME),
    "microtime": _scalar(BYTES, _time, _ZERO_TIME),
    "int-or-string": _scalar(BYTES, _int_or_string, 0),
    "raw": ScalarEncoder(BYTES, _raw, lambda: _EMPTY),
}
