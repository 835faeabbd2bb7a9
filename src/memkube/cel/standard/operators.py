"""Arithmetic, comparison and membership operators (cel-go's ``common/types``)."""

import math
from collections.abc import Mapping
from typing import Final

from memkube.cel.declarations import Function, same_for_all
from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.libraries.standard import OPERATORS as DECLARED
from memkube.cel.standard.equality import contains, is_ordered, order
from memkube.cel.standard.maps import value_of_key
from memkube.cel.syntax import Unsigned
from memkube.cel.values import (
    MIN_INT,
    MISSING,
    Duration,
    ListValue,
    MapValue,
    Timestamp,
    Value,
    checked_int,
    checked_timestamp,
    checked_uint,
    is_list,
    unsupported,
)


def add(one: Value, other: Value) -> Value:
    """Evaluate ``+`` of numbers, strings, bytes, lists and times. Raises EvaluationError for unsupported operands."""
    kind = one.__class__
    if kind is other.__class__:
        if kind is int:
            return checked_int(one + other)  # type: ignore[operator]
        if kind is str or kind is float or kind is bytes:
            return one + other  # type: ignore[operator]
        if kind is list:
            return (one + other) if one else other  # type: ignore[operator]
        if kind is Unsigned:
            return checked_uint(one + other)  # type: ignore[operator]
    return _add_others(one, other)


def _add_others(one: Value, other: Value) -> Value:
    if isinstance(one, Duration):
        if isinstance(other, Duration):
            return Duration(checked_int(one.nanoseconds + other.nanoseconds))
        if isinstance(other, Timestamp):
            return checked_timestamp(other.nanoseconds + one.nanoseconds, other.offset_seconds)
    elif isinstance(one, Timestamp) and isinstance(other, Duration):
        return checked_timestamp(one.nanoseconds + other.nanoseconds, one.offset_seconds)
    elif isinstance(one, ListValue) and is_list(other):
        return one.plus(other)
    elif isinstance(one, list) and isinstance(other, ListValue):
        if not one or not other:
            return one or other
        return [*one, *other]
    elif not (isinstance(one, list | ListValue | Timestamp) or _is_number_or_text(one)):
        raise unsupported("_+_", one)
    raise no_such_overload()


def _is_number_or_text(value: Value) -> bool:
    return isinstance(value, int | float | str | bytes) and not isinstance(value, bool)


def subtract(one: Value, other: Value) -> Value:
    """Evaluate ``-`` of numbers and times. Raises EvaluationError for unsupported operands."""
    kind = one.__class__
    if kind is other.__class__:
        if kind is int:
            return checked_int(one - other)  # type: ignore[operator]
        if kind is float:
            return one - other  # type: ignore[operator]
        if kind is Unsigned:
            return checked_uint(one - other)  # type: ignore[operator]
        if isinstance(one, Duration | Timestamp):
            return Duration(checked_int(one.nanoseconds - other.nanoseconds))  # type: ignore[attr-defined]
    if isinstance(one, Timestamp) and isinstance(other, Duration):
        return checked_timestamp(one.nanoseconds - checked_int(other.nanoseconds), one.offset_seconds)
    if isinstance(one, bool) or not isinstance(one, int | float | Duration | Timestamp):
        raise unsupported("_-_", one)
    raise no_such_overload()


def _numbers(one: Value, other: Value, operator: str, kinds: tuple[type, ...]) -> type:
    kind = one.__class__
    if kind not in kinds:
        raise unsupported(operator, one)
    if kind is not other.__class__:
        raise no_such_overload()
    return kind


def multiply(one: Value, other: Value) -> Value:
    """Evaluate ``*``. Raises EvaluationError for unsupported operands."""
    kind = _numbers(one, other, "_*_", (int, Unsigned, float))
    product = one * other  # type: ignore[operator]
    if kind is float:
        return product
    return checked_int(product) if kind is int else checked_uint(product)


def divide(one: Value, other: Value) -> Value:
    """Evaluate ``/``; integers are rounded towards zero.

    Raises EvaluationError for unsupported operands and for integer division by zero.
    """
    kind = _numbers(one, other, "_/_", (int, Unsigned, float))
    if kind is float:
        assert isinstance(one, float)
        assert isinstance(other, float)
        return one / other if other else _divide_by_zero(one, other)
    assert isinstance(one, int)
    assert isinstance(other, int)
    if not other:
        raise EvaluationError("division by zero")
    quotient = abs(one) // abs(other)
    return Unsigned(quotient) if kind is Unsigned else checked_int(quotient if (one < 0) == (other < 0) else -quotient)


def _divide_by_zero(one: float, other: float) -> float:
    if one == 0 or math.isnan(one):
        return math.nan
    return math.copysign(math.inf, one) * math.copysign(1, other)


def modulo(one: Value, other: Value) -> Value:
    """Evaluate ``%``; the result has the sign of the first operand. Raises EvaluationError for unsupported operands."""
    kind = _numbers(one, other, "_%_", (int, Unsigned))
    assert isinstance(one, int)
    assert isinstance(other, int)
    if not other:
        raise EvaluationError("modulus by zero")
    if one == MIN_INT and other == -1:
        raise EvaluationError("integer overflow")
    rest = abs(one) % abs(other)
    return Unsigned(rest) if kind is Unsigned else (-rest if one < 0 else rest)


def negate(value: Value) -> Value:
    """Evaluate the unary ``-``. Raises EvaluationError for unsupported operands."""
    if value.__class__ is int:
        return checked_int(-value)
    if isinstance(value, float):
        return -value
    if isinstance(value, Duration):
        return Duration(checked_int(-value.nanoseconds))
    if isinstance(value, bool):
        raise no_such_overload()
    raise unsupported("-_", value)


def invert(value: Value) -> Value:
    """Evaluate ``!``. Raises EvaluationError for unsupported operands."""
    if isinstance(value, bool):
        return not value
    raise no_such_overload()


def _ordered(one: Value, other: Value, operator: str) -> int:
    if not is_ordered(one):
        raise no_such_overload(operator)
    return order(one, other)


def less(one: Value, other: Value) -> Value:
    """Evaluate ``<``. Raises EvaluationError for unsupported operands."""
    if one.__class__ is int and other.__class__ is int:
        return one < other
    return _ordered(one, other, "_<_") < 0


def less_or_equal(one: Value, other: Value) -> Value:
    """Evaluate ``<=``. Raises EvaluationError for unsupported operands."""
    if one.__class__ is int and other.__class__ is int:
        return one <= other
    return _ordered(one, other, "_<=_") <= 0


def greater(one: Value, other: Value) -> Value:
    """Evaluate ``>``. Raises EvaluationError for unsupported operands."""
    if one.__class__ is int and other.__class__ is int:
        return one > other
    return _ordered(one, other, "_>_") > 0


def greater_or_equal(one: Value, other: Value) -> Value:
    """Evaluate ``>=``. Raises EvaluationError for unsupported operands."""
    if one.__class__ is int and other.__class__ is int:
        return one >= other
    return _ordered(one, other, "_>=_") >= 0


def is_in(value: Value, holder: Value) -> Value:
    """Evaluate ``value in holder``: true for a list item or map key. Raises EvaluationError for other operands."""
    if isinstance(holder, list):
        return contains(holder, value)
    if isinstance(holder, ListValue):
        return holder.holds(value)
    if isinstance(holder, MapValue):
        return holder.has(value)
    if isinstance(holder, dict):
        return value_of_key(holder, value) is not MISSING
    raise no_such_overload()


_BY_NAME: Final[Mapping[str, Function]] = {
    "_+_": add,
    "_-_": subtract,
    "_*_": multiply,
    "_/_": divide,
    "_%_": modulo,
    "-_": negate,
    "!_": invert,
    "_<_": less,
    "_<=_": less_or_equal,
    "_>_": greater,
    "_>=_": greater_or_equal,
    "@in": is_in,
    "_in_": is_in,
    "in": is_in,
}
OPERATORS: Final = same_for_all(DECLARED, _BY_NAME)
"""Implementations of operators, which check the types of their operands themselves.

Operators that do not evaluate all operands are in ``evaluation/logic.py``.
"""
