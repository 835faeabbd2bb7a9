"""Validation of numbers by schemas (range, multipleOf, format), and their form in Kubernetes' JSON.

Source: ``values.go`` and ``validator.go`` in kube-openapi's ``validation/validate``.
"""

from collections.abc import Iterator
from math import isfinite
from typing import Any, Final, NamedTuple

from memkube.apimachinery.go_integers import truncated_to_int64
from memkube.apimachinery.model import Document
from memkube.apimachinery.patches.errors import go_float

_INT64: Final = 2**63
_RANGES: Final = {"int32": 2**31, "int64": _INT64, "": _INT64}
_LARGEST_FLOAT32: Final = 3.4028235677973366e38
_LARGEST_JSON: Final = float(2**53 - 1)
_EPSILON: Final = 1e-9


class NumberFault(NamedTuple):
    """An error in a number: the message, and the number that the error quotes.

    The number is None if the error is about the whole object.
    """

    message: str
    value: Any = None


def go_number(number: float) -> str:
    """Format a number as Go's ``%v``."""
    return str(number) if isinstance(number, int) else go_float(number)


def with_whole_numbers(value: Any) -> Any:
    """Return JSON data with its numbers as Kubernetes writes them.

    Whole numbers such as ``1.0`` become integers, and integers beyond int64 become floats.
    """
    if isinstance(value, dict):
        return {name: with_whole_numbers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [with_whole_numbers(item) for item in value]
    if isinstance(value, float) and isfinite(value) and value == int(value) and abs(value) < _INT64:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and not -_INT64 <= value < _INT64:
        return float(value)
    return value


def within_int64(value: Any) -> Any:
    """Return JSON data with its numbers as Go decodes them.

    Integers beyond int64 become floats; ``1.0`` stays a float.
    """
    if isinstance(value, dict):
        return {name: within_int64(item) for name, item in value.items()}
    if isinstance(value, list):
        return [within_int64(item) for item in value]
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if is_integer and not -_INT64 <= value < _INT64 else value


def has_whole_float(value: Any) -> bool:
    """True if the JSON data contains a float such as ``1.0``, which Kubernetes writes as an integer."""
    if isinstance(value, dict):
        return any(map(has_whole_float, value.values()))
    if isinstance(value, list):
        return any(map(has_whole_float, value))
    return value.__class__ is float and bool(value.is_integer()) and abs(value) < _INT64


def is_json_integer(number: float) -> bool:
    """True if a number is whole except for rounding errors (go-openapi ``swag.IsFloat64AJSONInteger``)."""
    if not isfinite(number) or abs(number) > _LARGEST_JSON:
        return False
    whole = float(int(number))
    if number == whole:
        return True
    return number > 0 and whole > 0 and abs(number - whole) / (number + whole) < _EPSILON


def number_faults(node: Document, kind: str, size: str, number: float, name: str) -> Iterator[NumberFault]:
    """Yield the errors of a number by the keywords of its schema `node`, such as ``minimum``.

    `kind` is the type in the schema and `size` its format, such as ``int32``; each is "" if missing. `name` is the path
    of the number in error messages.
    """
    if not _in_range(number, kind, size):
        yield _out_of_range("Checked", kind, size, name)
    for keyword, prefix in (
        ("multipleOf", "MultipleOf"),
        ("minimum", "Minimum boundary"),
        ("maximum", "Maximum boundary"),
    ):
        limit = node.get(keyword)
        if limit is None:
            continue
        fits = _in_range(limit, kind, size)
        if not fits:
            yield _out_of_range(prefix, kind, size, name)
        whole = fits and isinstance(number, int)
        limit = truncated_to_int64(limit) if whole else float(limit)
        multiple = keyword == "multipleOf"
        found = _multiple(number, limit, whole, name) if multiple else _bound(node, keyword, number, limit, name)
        if found is not None:
            yield found


def _multiple(number: float, factor: float, whole: bool, name: str) -> NumberFault | None:
    if factor <= 0:
        return NumberFault(f"factor MultipleOf declared for {name} must be positive: {go_number(factor)}", factor)
    times = 1 / factor * number if factor < 1 else number / factor
    holds = number % factor == 0 if whole else is_json_integer(times)
    return None if holds else NumberFault(f"{name} in body should be a multiple of {go_number(factor)}", number)


def _bound(node: Document, keyword: str, number: float, limit: float, name: str) -> NumberFault | None:
    if keyword == "minimum":
        exclusive = bool(node.get("exclusiveMinimum"))
        broken, word = (number <= limit if exclusive else number < limit), "greater than"
    else:
        exclusive = bool(node.get("exclusiveMaximum"))
        broken, word = (number >= limit if exclusive else number > limit), "less than"
    wanted = word if exclusive else f"{word} or equal to"
    return NumberFault(f"{name} in body should be {wanted} {go_number(limit)}", number) if broken else None


def _in_range(number: float, kind: str, size: str) -> bool:
    if kind == "integer":
        limit = _RANGES[size]
        return number == int(number) and -limit <= number < limit
    return size != "float" or abs(number) < _LARGEST_FLOAT32


def _out_of_range(prefix: str, kind: str, size: str, name: str) -> NumberFault:
    form = f"with format {size}" if size else "(default format)"
    return NumberFault(f"{prefix} value must be of type {kind} {form} in {name}")
