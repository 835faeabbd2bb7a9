"""Conversions of large numbers to 32-bit integers, as Go makes them on amd64."""

import math
from typing import Final

LARGEST: Final = 2**31 - 1
_SMALLEST: Final = -(2**31)


def rounded_up(number: float) -> int:
    """Round `number` up; if the result does not fit into 32 bits, return the smallest 32-bit integer."""
    whole = math.ceil(number)
    return whole if _SMALLEST <= whole <= LARGEST else _SMALLEST


def wrapped(number: int) -> int:
    """Return the 32-bit integer that consists of the lowest 32 bits of `number`."""
    return (number - _SMALLEST) % 2**32 + _SMALLEST
