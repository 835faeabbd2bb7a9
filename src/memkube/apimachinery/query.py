"""Single query parameters, read as the reference converts them (apimachinery ``conversion/queryparams``)."""

from collections.abc import Mapping
from typing import TypeAlias

from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time

Query: TypeAlias = Mapping[str, list[str]]
"""The values of each parameter, in the order in which they came."""
_INT64 = 2**63
_ZERO_TIME = Time("0001-01-01T00:00:00Z")


def text(query: Query, name: str) -> str:
    """The first value of a parameter."""
    values = query.get(name)
    return values[0] if values else ""


def flag(query: Query, name: str) -> bool | None:
    """A boolean parameter: anything but ``false`` and ``0`` is true; None where it is absent."""
    values = query.get(name)
    return None if not values else values[0].lower() not in ("false", "0")


def integer(query: Query, name: str) -> int | None:
    """An integer parameter; None where it is absent. Raises ApiError 400."""
    values = query.get(name)
    if not values:
        return None
    digits = values[0]
    unsigned = digits[1:] if digits[:1] in ("-", "+") else digits
    if not (unsigned.isascii() and unsigned.isdigit()):
        raise bad_request(f"strconv.ParseInt: parsing {quoted(digits)}: invalid syntax")
    number = int(digits)
    if not -_INT64 <= number < _INT64:
        raise bad_request(f"strconv.ParseInt: parsing {quoted(digits)}: value out of range")
    return number


def time(query: Query, name: str) -> Time | None:
    """A time parameter; None where it is absent, the zero time where it is empty. Raises ApiError 400."""
    values = query.get(name)
    if not values:
        return None
    if values[0] in ("", "null"):
        return _ZERO_TIME
    try:
        return Time.parse(values[0])
    except ValueError as error:
        raise bad_request(str(error)) from None
