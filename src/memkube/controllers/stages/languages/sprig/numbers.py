"""Sprig's functions for numbers (``numeric.go``)."""

import math
import re
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any, Final

from memkube.controllers.stages.languages.sprig.lists import until_step
from memkube.controllers.stages.languages.template_arguments import (
    TemplateFunction,
    atoi,
    int_of,
    of_texts,
    taking,
    taking_at_least,
    to_float64,
    to_int64,
    to_text,
    wrapped_int64,
)
from memkube.controllers.stages.languages.template_values import Int64, TemplateError

_EXACT: Final = Context(prec=1000, rounding=ROUND_HALF_UP)
"""Context in which the sum and the product of two floats are exact."""
_MOST_PLACES: Final = 300
"""Maximum number of digits after the point to which numbers are rounded, so that the powers of 10 are floats."""
_OCTAL: Final = re.compile("[+-]?[0-7]{1,22}")
_LAST_DIGIT: Final = Decimal("1e-16")
"""Divisions of decimals are rounded to 16 digits after the point."""


def _added(*numbers: Any) -> Int64:
    return wrapped_int64(sum(to_int64(number) for number in numbers))


def _multiplied(first: Any, *others: Any) -> Int64:
    result = to_int64(first)
    for other in others:
        result = wrapped_int64(result * to_int64(other))
    return result


def _divided(first: Any, second: Any) -> Int64:
    dividend, divisor = to_int64(first), to_int64(second)
    if divisor == 0:
        raise TemplateError("integer divide by zero")
    size = abs(dividend) // abs(divisor)
    return wrapped_int64(size if (dividend < 0) == (divisor < 0) else -size)


def _remainder(first: Any, second: Any) -> Int64:
    return wrapped_int64(to_int64(first) - to_int64(second) * _divided(first, second))


def _combined(operation: Callable[[Decimal, Decimal], Decimal], first: Any, others: tuple[Any, ...]) -> float:
    """Combine numbers from left to right with an arithmetic operation on decimals."""
    result = _decimal(first)
    for other in others:
        result = operation(result, _decimal(other))
    return float(result)


def _decimal(value: Any) -> Decimal:
    number = to_float64(value)
    if not math.isfinite(number):
        raise TemplateError(f"Cannot create a Decimal from {to_text(number)}")
    return Decimal(repr(number))


def _quotient(first: Decimal, second: Decimal) -> Decimal:
    if not second:
        raise TemplateError("decimal division by 0")
    try:
        return _EXACT.quantize(_EXACT.divide(first, second), _LAST_DIGIT)
    except InvalidOperation:
        raise TemplateError("the quotient has too many digits") from None


def _rounded(value: Any, places: Any, threshold: Any = 0.5) -> float:
    """Round a number to `places` digits after the point, as Sprig's ``round`` does.

    The digit is rounded up if the rest is at least `threshold`. So negative numbers are always rounded down.
    """
    if abs(int_of(places)) > _MOST_PLACES:
        raise TemplateError(f"more than {_MOST_PLACES} places are not supported")
    power: float = 10.0 ** int_of(places)
    digit: float = power * to_float64(value)
    if not math.isfinite(digit):
        return digit
    rest = math.fmod(digit, 1)
    return (math.ceil(digit) if rest >= to_float64(threshold) else math.floor(digit)) / power


def _whole(round_: Callable[[float], int], value: Any) -> float:
    number = to_float64(value)
    return float(round_(number)) if math.isfinite(number) else number


def _octal(value: Any) -> Int64:
    text = to_text(value)
    number = int(text, 8) if _OCTAL.fullmatch(text) else 0
    return Int64(number if -(2**63) <= number < 2**63 else 0)


def _sequence(*numbers: Any) -> str:
    """Return integers separated by spaces, like the program ``seq``: up to an end, from a start, or with a step."""
    bounds = [int_of(number) for number in numbers]
    if not 1 <= len(bounds) <= 3:
        return ""
    start, end = bounds[0] if len(bounds) > 1 else 1, bounds[-1]
    direction = 1 if end >= start else -1
    step = bounds[1] if len(bounds) == 3 else direction
    if len(bounds) == 3 and end < start and step > 0:
        return ""
    return " ".join(map(str, until_step(start, end + direction, step)))


def _largest(first: Any, *others: Any) -> Int64:
    return max(map(to_int64, (first, *others)))


NUMBERS: Final[Mapping[str, TemplateFunction]] = {
    "int": taking(1, lambda value: int(to_int64(value))),
    "int64": taking(1, to_int64),
    "float64": taking(1, to_float64),
    "atoi": of_texts(1, atoi),
    "toDecimal": taking(1, _octal),
    "add": taking_at_least(0, _added),
    "add1": taking(1, lambda number: _added(number, 1)),
    "sub": taking(2, lambda first, second: wrapped_int64(to_int64(first) - to_int64(second))),
    "mul": taking_at_least(1, _multiplied),
    "div": taking(2, _divided),
    "mod": taking(2, _remainder),
    "max": taking_at_least(1, _largest),
    "biggest": taking_at_least(1, _largest),
    "min": taking_at_least(1, lambda *numbers: min(map(to_int64, numbers))),
    "maxf": taking_at_least(1, lambda *numbers: max(map(to_float64, numbers))),
    "minf": taking_at_least(1, lambda *numbers: min(map(to_float64, numbers))),
    "add1f": taking(1, lambda number: _combined(_EXACT.add, number, (1,))),
    "addf": taking_at_least(0, lambda *numbers: _combined(_EXACT.add, 0, numbers)),
    "subf": taking_at_least(1, lambda first, *others: _combined(_EXACT.subtract, first, others)),
    "mulf": taking_at_least(1, lambda first, *others: _combined(_EXACT.multiply, first, others)),
    "divf": taking_at_least(1, lambda first, *others: _combined(_quotient, first, others)),
    "ceil": taking(1, lambda value: _whole(math.ceil, value)),
    "floor": taking(1, lambda value: _whole(math.floor, value)),
    "round": TemplateFunction(_rounded, 2, 3),
    "seq": taking_at_least(0, _sequence),
}
"""Functions for numbers, by name."""
