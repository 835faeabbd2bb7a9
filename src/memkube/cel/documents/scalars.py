"""Scalars in JSON data, converted by the type and format in their schemas."""

from collections.abc import Callable
from datetime import date
from typing import Final

from memkube.cel.documents.formats import decode_bytes, parse_date_time, parse_duration
from memkube.cel.errors import EvaluationError
from memkube.cel.values import NANOSECONDS, Timestamp, Value

Reader = Callable[[object], Value]
"""Function that converts JSON data into a CEL value. Raises EvaluationError if the data does not match the schema."""

_EPOCH: Final = date(1970, 1, 1).toordinal()
_DAY: Final = 86_400


def go_kind(data: object) -> str:
    """Return the Go type of JSON data, as ``%T`` prints it."""
    kinds: dict[type, str] = {
        bool: "bool",
        int: "int64",
        float: "float64",
        str: "string",
        list: "[]interface {}",
        dict: "map[string]interface {}",
    }
    return kinds.get(type(data), "<nil>")


def _unfit(wanted: str, data: object) -> EvaluationError:
    return EvaluationError(f"invalid data, expected {wanted}, got {go_kind(data)}")


def read_boolean(data: object) -> Value:
    """Convert JSON data whose schema has the type boolean. Raises EvaluationError if it is not a boolean."""
    if data.__class__ is bool:
        return data
    raise _unfit("bool", data)


def read_integer(data: object) -> Value:
    """Convert JSON data whose schema has the type integer. Raises EvaluationError if it is not an integer."""
    if data.__class__ is int:
        return data
    raise _unfit("int", data)


def read_number(data: object) -> Value:
    """Convert JSON data whose schema has the type number to a double. Raises EvaluationError if it is no number."""
    if data.__class__ is float:
        return data
    if isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    raise _unfit("float", data)


def read_int_or_string(data: object) -> Value:
    """Convert JSON data whose schema is int-or-string. Raises EvaluationError if it is neither of them."""
    if data.__class__ is int or data.__class__ is str:
        return data
    raise EvaluationError("invalid data, expected XIntOrString value to be either a string or integer")


def read_string(data: object) -> Value:
    """Convert JSON data whose schema has the type string. Raises EvaluationError if it is not a string."""
    if data.__class__ is str:
        return data
    raise _unfit("string", data)


def _text(data: object) -> str:
    if isinstance(data, str):
        return data
    raise _unfit("string", data)


def _reader_of(what: str, parse: Callable[[str], Value]) -> Reader:
    """Return a function that converts a string by the function `parse`.

    `parse` raises ValueError for an invalid string. The returned function raises EvaluationError instead, whose message
    contains `what`, the expected format.
    """

    def read(data: object) -> Value:
        text = _text(data)
        try:
            return parse(text)
        except ValueError as error:
            raise EvaluationError(f"Invalid {what} {text}: {error}") from None

    return read


def _read_date(data: object) -> Value:
    text = _text(data)
    try:
        if len(text) != len("2006-01-02"):
            raise ValueError
        days = date.fromisoformat(text).toordinal() - _EPOCH
    except ValueError:
        why = f'parsing time "{text}" as "2006-01-02": cannot parse "{text}" as "2006"'
        raise EvaluationError(f"Invalid date formatted string {text}: {why}") from None
    return Timestamp(days * _DAY * NANOSECONDS)


_FORMATS: Final[dict[str, Reader]] = {
    "duration": _reader_of("duration", parse_duration),
    "date": _read_date,
    "date-time": _reader_of("date-time formatted string", parse_date_time),
    "byte": _reader_of("byte formatted string", decode_bytes),
}


def scalar_reader(kind: str, form: str) -> Reader | None:
    """Return the converter for scalars of a schema type, such as ``string``, and a format, such as ``date-time``.

    Returns None if `kind` is not the type of a scalar.
    """
    match kind:
        case "string":
            return _FORMATS.get(form, read_string)
        case "number":
            return read_number
        case "integer":
            return read_integer
        case "boolean":
            return read_boolean
    return None
