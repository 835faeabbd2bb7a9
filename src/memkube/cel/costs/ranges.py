"""Ranges of costs and sizes, limited to 64 bits (cel-go's ``checker/cost.go``)."""

import math
from typing import Final, NamedTuple

MAX: Final = 2**64 - 1


class Range(NamedTuple):
    """Estimated minimum and maximum of a cost or of a size."""

    min: int
    max: int

    def plus(self, other: "Range") -> "Range":
        """Return the range from the sum of the minima of both ranges to the sum of their maxima."""
        return Range(min(self.min + other.min, MAX), min(self.max + other.max, MAX))

    def times(self, other: "Range") -> "Range":
        """Return the range from the product of the minima of both ranges to the product of their maxima."""
        return Range(min(self.min * other.min, MAX), min(self.max * other.max, MAX))

    def scaled(self, factor: float) -> "Range":
        """Return the range multiplied by a factor, rounded up."""
        return Range(_scaled(self.min, factor), _scaled(self.max, factor))

    def union(self, other: "Range") -> "Range":
        """Return the smallest range that includes both ranges."""
        return Range(min(self.min, other.min), max(self.max, other.max))


def exact(number: int) -> Range:
    """Return a range whose minimum and maximum are `number`."""
    return Range(number, number)


def _scaled(number: int, factor: float) -> int:
    return min(math.ceil(float(number) * factor), MAX)


ZERO: Final = exact(0)
ONE: Final = exact(1)
UNKNOWN: Final = Range(0, MAX)
