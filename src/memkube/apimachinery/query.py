"""Conversion of query parameters to str, bool, int and Time (apimachinery ``conversion/queryparams``)."""

from collections.abc import Mapping
from typing import TypeAlias

from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.go_integers import parse_int64
from memkube.apimachinery.time import Time

Query: TypeAlias = Mapping[str, list[str]]
"""Values of each query parameter, in the order of the URL."""
_ZERO_TIME = Time("0001-01-01T00:00:00Z")


def text(query: Query, name: str) -> str:
    """Return the first value of a query parameter; "" if absent."""
    values = query.get(name)
    return values[0] if values else ""


def flag(query: Query, name: str) -> bool | None:
    """Return a boolean query parameter; None if it is absent.

    All values except ``false`` and ``0`` are true.
    """
    values = query.get(name)
    return None if not values else values[0].lower() not in ("false", "0")


def integer(query: Query, name: str) -> int | None:
    """Return an integer query parameter; None if it is absent. Raises ApiError (400) if the value is malformed."""
    values = query.get(name)
    if not values:
        return None
    try:
        return parse_int64(values[0])
    except ValueError as error:
        raise bad_request(str(error)) from None


def time(query: Query, name: str) -> Time | None:
    """Return a time query parameter; None if it is absent, the zero time if its value is empty.

    Raises ApiError (400) if the value is malformed.
    """
    values = query.get(name)
    if not values:
        return None
    if values[0] in ("", "null"):
        return _ZERO_TIME
    try:
        return Time.parse(values[0])
    except ValueError as error:
        raise bad_request(str(error)) from None
