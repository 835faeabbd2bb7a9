"""Ranges of costs and sizes, capped at 64 bits (cel-go's ``checker/cost.go``)."""

import math
from typing import Final, NamedTuple

MOST: Final = 2**64 - 1


class Range(NamedTuple):
    """Minimum and maximum of a cost or size."""

    least: int
    most: int

    def plus(self, other: "Range") -> "Range":
        """Return the sum of both ranges."""
        return Range(min(self.least + other.least, MOST), min(self.most + other.most, MOST))

    def times(self, other: "Range") -> "Range":
        """Return the product of both ranges."""
        return Range(min(self.least * other.least, MOST), min(self.most * other.most, MOST))

    def scaled(self, factor: float) -> "Range":
        """Return the range multiplied by a factor, rounded up."""
        return Range(_scaled(self.least, factor), _scaled(self.most, factor))

    def or_(self, other: "Range") -> "Range":
        """Return the smallest range that includes both ranges."""
        return Range(min(self.least, other.least), max(self.most, other.most))


def exactly(number: int) -> Range:
    """Return a range whose minimum and maximum are `number`."""
    return Range(number, number)


def _scaled(number: int, factor: float) -> int:
    return min(math.ceil(float(number) * factor), MOST)


NOTHING: Final = exactly(0)
ONE: Final = exactly(1)
UNKNOWN: Final = Range(0, MOST)
