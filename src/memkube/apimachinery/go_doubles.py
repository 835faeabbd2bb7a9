"""Formatting of doubles as in Go (``fmt`` with ``%v``)."""

import math
from decimal import Decimal
from typing import Final

_PRECISION: Final = 6
_LEAST_EXPONENT: Final = -4


def format_double(number: float) -> str:
    """Format a double as Go's ``%g``: shortest form, with an exponent for large and small numbers."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "+Inf" if number > 0 else "-Inf"
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    assert isinstance(exponent, int)
    minus = "-" if sign else ""
    if digits == (0,):
        return f"{minus}0"
    power = len(digits) + exponent - 1
    if _LEAST_EXPONENT <= power < _PRECISION:
        return format_double_in_full(number)
    text = "".join(map(str, digits))
    fraction = f".{text[1:]}" if len(text) > 1 else ""
    return f"{minus}{text[0]}{fraction}e{'-' if power < 0 else '+'}{abs(power):02d}"


def format_double_in_full(number: float) -> str:
    """Format a double as the shortest exact decimal number without an exponent."""
    if math.isinf(number) or math.isnan(number):
        return format_double(number)
    text = format(Decimal(repr(number)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
