"""Equality and order of values (cel-go's ``types.Equal``, and ``Equal`` and ``Compare`` of each type).

Numbers of different types are compared by value. The left operand determines how values are compared: for example, a
list whose schema has ``list-type=set`` ignores the order.
"""

import math
from collections.abc import Iterable
from typing import Final

from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.standard.maps import value_of_key
from memkube.cel.values import (
    MISSING,
    DocumentValue,
    Duration,
    ListValue,
    MapValue,
    Optional,
    Timestamp,
    Value,
    is_list,
    is_map,
)

_PLAIN: Final = frozenset({str, bool, int, float, bytes})


def is_number(value: Value) -> bool:
    """True if a CEL value is an ``int``, ``uint`` or ``double``."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(one: Value, other: Value) -> bool:
    """Return True if CEL's ``one == other`` holds. Raises EvaluationError if a value's type cannot be compared."""
    kind = one.__class__
    if kind in _PLAIN and kind is other.__class__:
        return one == other
    if one is None or other is None:
        return one is other
    if is_number(one) and is_number(other):
        return _same_number(one, other)
    if isinstance(one, list):
        return is_list(other) and _same_items(one, other)
    if isinstance(one, dict):
        return is_map(other) and _same_entries(one, other)
    if isinstance(one, ListValue | MapValue):
        return one.equals(other)
    if isinstance(one, DocumentValue):
        return same_document(one.document, other.document if isinstance(other, DocumentValue) else other)
    if isinstance(one, Optional):
        return isinstance(other, Optional) and _same_optional(one, other)
    # Python's operator == would also ask `other`, if `one` does not know its class.
    return not isinstance(one, bool | int | float | str | bytes) and one.__class__.__eq__(one, other) is True


def _same_number(one: Value, other: Value) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return float(one) == float(other)  # type: ignore[arg-type]
    return one == other


def _same_optional(one: Optional, other: Optional) -> bool:
    if not one.present or not other.present:
        return one.present == other.present
    return equal(one.value, other.value)


def _unless_different(one: Value, other: Value) -> bool:
    # As in cel-go, items of lists and maps that cannot be compared count as equal.
    try:
        return equal(one, other)
    except EvaluationError:
        return True


def _same_items(one: list[Value], other: Value) -> bool:
    assert isinstance(other, list | ListValue)
    return len(one) == len(other) and all(map(_unless_different, one, other))


def _same_entries(one: dict[Value, Value], other: Value) -> bool:
    assert isinstance(other, dict | MapValue)
    if len(one) != len(other):
        return False
    for key, value in one.items():
        found = value_of_key(other, key)
        if found is MISSING or not _unless_different(value, found):
            return False
    return True


def same_document(one: object, other: object) -> bool:
    """True if two values of JSON data are deeply equal and have equal types."""
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and one.keys() == other.keys()
            and all(same_document(value, other[key]) for key, value in one.items())
        )
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same_document, one, other))
    return type(one) is type(other) and one == other


def contains(items: Iterable[Value], value: Value) -> bool:
    """True if an item of the list equals the value, as the operator ``in`` decides."""
    return any(_equal_or_not(value, item) for item in items)


def _equal_or_not(one: Value, other: Value) -> bool:
    try:
        return equal(one, other)
    except EvaluationError:
        return False


def order(one: Value, other: Value) -> int:
    """Return -1, 0 or 1 if `one` is less than, equal to or greater than `other`.

    Raises EvaluationError if the values cannot be ordered.
    """
    if is_number(one):
        return _order_of_numbers(one, other)
    for kind in (str, bool, bytes):
        if isinstance(one, kind):
            if not isinstance(other, kind):
                raise no_such_overload()
            return (one > other) - (one < other)  # type: ignore[operator]
    if isinstance(one, Timestamp | Duration) and one.__class__ is other.__class__:
        assert isinstance(other, Timestamp | Duration)
        return (one.nanoseconds > other.nanoseconds) - (one.nanoseconds < other.nanoseconds)
    raise no_such_overload()


def _order_of_numbers(one: Value, other: Value) -> int:
    if not is_number(other):
        raise no_such_overload()
    if isinstance(one, float) or isinstance(other, float):
        left, right = float(one), float(other)  # type: ignore[arg-type]
        if math.isnan(left) or math.isnan(right):
            raise EvaluationError("NaN values cannot be ordered")
        return (left > right) - (left < right)
    return (one > other) - (one < other)  # type: ignore[operator,no-any-return]


def is_ordered(value: Value) -> bool:
    """True if CEL's operators ``<``, ``<=``, ``>`` and ``>=`` are defined for the type of `value`."""
    return isinstance(value, bool | int | float | str | bytes | Timestamp | Duration)
