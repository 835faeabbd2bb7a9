"""Decoding of scalars from JSON values with Go's rules.

A value of a wrong type raises :class:`TypeMismatch`: Go records the first one and continues. Types with their own
decoder (times, quantities, int-or-string) stop decoding at once; their errors are ``fatal``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from memkube.apimachinery.base64 import decode_base64, encode_base64
from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.json_body import Number, plain, value_name
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.schema import Scalar, ScalarType
from memkube.apimachinery.time import MicroTime, Time

_INT32: Final = 2**31
_INT64: Final = 2**63
_LONGEST_INT64: Final = 20


class TypeMismatch(Exception):
    """Raised if a value does not have the type that the schema requires.

    `met` is the JSON type of the value, and `type_name` is the name of the required type if it differs from the
    schema's.
    """

    def __init__(self, met: str, type_name: str = "", *, fatal: bool = False) -> None:
        super().__init__(met)
        self.met = met
        self.type_name = type_name
        self.fatal = fatal


class BadValue(Exception):
    """Raised if a value has the right JSON type but invalid content; `error` is the reason."""

    def __init__(self, error: DecodeError, *, fatal: bool = False) -> None:
        super().__init__(error.message)
        self.error = error
        self.fatal = fatal


def read_scalar(schema: Scalar, value: Any) -> Any:
    """Decode a scalar that is not null. Raises TypeMismatch or BadValue if the value does not match the schema."""
    if schema.read is None:
        return _READERS[schema.type](value)
    try:
        return schema.read(plain(value))
    except ValueError as error:
        why = error.__cause__
        raise BadValue(why if isinstance(why, DecodeError) else DecodeError(str(error)), fatal=True) from error


def null_scalar(schema: Scalar) -> Any:
    """Return the zero value of a scalar, which a null list item is decoded to."""
    return _ZEROS[schema.type]


def _is_number(value: Any) -> bool:
    return isinstance(value, Number | int | float) and not isinstance(value, bool)


def _string(value: Any) -> str:
    if not isinstance(value, str) or isinstance(value, Number):
        raise TypeMismatch(value_name(value))
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeMismatch(value_name(value))
    return value


def _integer(limit: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if not _is_number(value):
            raise TypeMismatch(value_name(value))
        number = _parsed_integer(value)
        if number is None or not -limit <= number < limit:
            raise TypeMismatch(f"number {value}")
        return number

    return read


def _parsed_integer(value: Any) -> int | None:
    if isinstance(value, Number):
        digits = value.removeprefix("-")
        return int(value) if digits.isdigit() and len(digits) <= _LONGEST_INT64 else None
    return value if isinstance(value, int) else None


def _float(value: Any) -> float:
    if not _is_number(value):
        raise TypeMismatch(value_name(value))
    number = float(value)
    if number in (float("inf"), float("-inf")):
        raise TypeMismatch(f"number {value}")
    return number


def _bytes(value: Any) -> str:
    if isinstance(value, list) and not hasattr(value, "items"):
        return encode_base64(bytes(_byte(item) for item in value))
    if not isinstance(value, str) or isinstance(value, Number):
        raise TypeMismatch(value_name(value))
    try:
        return encode_base64(decode_base64(value))
    except ValueError as error:
        raise BadValue(DecodeError(str(error))) from error


def _byte(value: Any) -> int:
    if value is None:
        return 0
    number = _parsed_integer(value) if _is_number(value) else None
    if number is None or not 0 <= number < 256:
        met = value_name(value)
        raise TypeMismatch(f"number {value}" if met == "number" else met, "uint8")
    return number


def _quantity(value: Any) -> str:
    text = str(value) if isinstance(value, str) or _is_number(value) else value_name(value)
    try:
        return Quantity.parse(text.strip(" \t\r\n"))
    except ValueError as error:
        raise BadValue(DecodeError(str(error)), fatal=True) from error


def _time(kind: type[Time]) -> Callable[[Any], str | None]:
    def read(value: Any) -> str | None:
        if not isinstance(value, str) or isinstance(value, Number):
            raise TypeMismatch(value_name(value), "string", fatal=True)
        try:
            return kind.parse_unless_zero(value)
        except ValueError as error:
            raise BadValue(DecodeError(str(error)), fatal=True) from error

    return read


def _int_or_string(value: Any) -> int | str:
    if isinstance(value, str) and not isinstance(value, Number):
        return value
    try:
        return _integer(_INT32)(value)
    except TypeMismatch as mismatch:
        raise TypeMismatch(mismatch.met, "int32", fatal=True) from None


_READERS: Final[Mapping[ScalarType, Callable[[Any], Any]]] = {
    "string": _string,
    "bool": _bool,
    "int32": _integer(_INT32),
    "int64": _integer(_INT64),
    "float64": _float,
    "bytes": _bytes,
    "quantity": _quantity,
    "time": _time(Time),
    "microtime": _time(MicroTime),
    "int-or-string": _int_or_string,
    "raw": plain,
}
_ZEROS: Final[Mapping[ScalarType, Any]] = {
    "string": "",
    "bool": False,
    "int32": 0,
    "int64": 0,
    "float64": 0.0,
    "bytes": "",
    "quantity": "0",
    "time": None,
    "microtime": None,
    "int-or-string": 0,
    "raw": None,
}
