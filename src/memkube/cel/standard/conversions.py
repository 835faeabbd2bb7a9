"""Conversions between CEL types (the method ``ConvertToType`` of each type in cel-go's ``common/types``)."""

import math
import re
from typing import Final

from memkube.apimachinery.go_doubles import format_double
from memkube.cel.declarations import Implementations
from memkube.cel.errors import EvaluationError
from memkube.cel.standard.calendar import parse_rfc3339, rfc3339
from memkube.cel.standard.durations import in_seconds, parse_duration
from memkube.cel.syntax import Unsigned
from memkube.cel.values import (
    MAX_INT,
    MAX_UINT,
    MIN_INT,
    NANOSECONDS,
    Duration,
    Timestamp,
    TypeValue,
    Value,
    checked_int,
    checked_timestamp,
    checked_uint,
    kind_of,
)

_integer: Final = re.compile(r"[+-]?\d+", re.ASCII).fullmatch
_natural: Final = re.compile(r"\d+", re.ASCII).fullmatch
_DIGITS: Final = r"\d+(?:_\d+)*"
_decimal: Final = re.compile(
    rf"[+-]?(?:(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:e[+-]?{_DIGITS})?|inf(?:inity)?|nan)",
    re.ASCII | re.IGNORECASE,
).fullmatch
_hexadecimal: Final = re.compile(r"[+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)p[+-]?\d+", re.IGNORECASE).fullmatch
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})


def _unconvertible(value: Value, target: str) -> EvaluationError:
    return EvaluationError(f"type conversion error from '{kind_of(value)}' to '{target}'")


def _same(value: Value) -> Value:
    return value


def _bool_of_text(text: str) -> bool:
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise _unconvertible(text, "bool")


def _text_of_bytes(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise EvaluationError("invalid UTF-8 in bytes, cannot convert to string") from None


def _double_of_text(text: str) -> float:
    if _decimal(text):
        number = float(text)
        if not math.isinf(number) or "inf" in text.lower():
            return number
    elif _hexadecimal(text):
        try:
            return float.fromhex(text)
        except OverflowError:
            pass
    raise _unconvertible(text, "double")


def _int_of_text(text: str) -> int:
    if _integer(text) and MIN_INT <= (number := int(text)) <= MAX_INT:
        return number
    raise _unconvertible(text, "int")


def _uint_of_text(text: str) -> Unsigned:
    if _natural(text) and (number := int(text)) <= MAX_UINT:
        return Unsigned(number)
    raise _unconvertible(text, "uint")


def _int_of_double(number: float) -> int:
    if not MIN_INT < number < MAX_INT + 1:
        raise EvaluationError("integer overflow")
    return int(number)


def _uint_of_double(number: float) -> Unsigned:
    if not 0 <= number < MAX_UINT + 1:
        raise EvaluationError("unsigned integer overflow")
    return Unsigned(int(number))


def _duration_of_text(text: str) -> Duration:
    found = parse_duration(text)
    if found is None:
        raise _unconvertible(text, "google.protobuf.Duration")
    return found


def _duration_of_int(number: int) -> Duration:
    raise _unconvertible(number, "google.protobuf.Duration")


def _timestamp_of_text(text: str) -> Timestamp:
    found = parse_rfc3339(text)
    if found is None:
        raise _unconvertible(text, "google.protobuf.Timestamp")
    return checked_timestamp(found.nanoseconds, found.offset_seconds)


def _timestamp_of_int(seconds: int) -> Timestamp:
    return checked_timestamp(seconds * NANOSECONDS)


def duration_of(value: str | int) -> Duration:
    """Convert a string to a duration. Raises EvaluationError for an invalid string and for an integer."""
    return _duration_of_text(value) if isinstance(value, str) else _duration_of_int(value)


def timestamp_of(value: str | int) -> Timestamp:
    """Convert an RFC 3339 string, or seconds since 1970, to a timestamp. Raises EvaluationError for invalid values."""
    return _timestamp_of_text(value) if isinstance(value, str) else _timestamp_of_int(value)


def type_of(value: Value) -> TypeValue:
    """Evaluate CEL's function ``type``: return the type of a value, which is a CEL value itself."""
    return TypeValue(kind_of(value))


CONVERSIONS: Final[Implementations] = {
    "type": {"(A): type(A)": type_of},
    "bool": {"(bool): bool": _same, "(string): bool": _bool_of_text},
    "bytes": {"(bytes): bytes": _same, "(string): bytes": lambda text: text.encode()},
    "double": {
        "(double): double": _same,
        "(int): double": float,
        "(string): double": _double_of_text,
        "(uint): double": float,
    },
    "duration": {
        "(duration): duration": _same,
        "(int): duration": _duration_of_int,
        "(string): duration": _duration_of_text,
    },
    "dyn": {"(A): dyn": _same},
    "int": {
        "(int): int": _same,
        "(double): int": _int_of_double,
        "(duration): int": lambda duration: duration.nanoseconds,
        "(string): int": _int_of_text,
        "(timestamp): int": lambda moment: moment.nanoseconds // NANOSECONDS,
        "(uint): int": lambda number: checked_int(int(number)),
    },
    "string": {
        "(string): string": _same,
        "(bool): string": lambda value: "true" if value else "false",
        "(bytes): string": _text_of_bytes,
        "(double): string": format_double,
        "(duration): string": in_seconds,
        "(int): string": str,
        "(timestamp): string": rfc3339,
        "(uint): string": lambda number: str(int(number)),
    },
    "timestamp": {
        "(timestamp): timestamp": _same,
        "(int): timestamp": _timestamp_of_int,
        "(string): timestamp": _timestamp_of_text,
    },
    "uint": {
        "(uint): uint": _same,
        "(double): uint": _uint_of_double,
        "(int): uint": checked_uint,
        "(string): uint": _uint_of_text,
    },
}
