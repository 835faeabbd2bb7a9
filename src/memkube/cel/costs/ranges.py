"""Numbers between a least and a most: costs and sizes, which end at 64 bits (cel-go's ``checker/cost.go``)."""

import math
from typing import Final, NamedTuple

MOST: Final = 2**64 - 1


class Range(NamedTuple):
    """The least and the most that something can be."""

    least: int
    most: int

    def plus(self, other: "Range") -> "Range":
        """Both together."""
        return Range(min(self.least + other.least, MOST), min(self.most + other.most, MOST))

    def times(self, other: "Range") -> "Range":
        """As often as the other says."""
        return Range(min(self.least * other.least, MOST), min(self.most * other.most, MOST))

    def scaled(self, factor: float) -> "Range":
        """So many times as much, rounded up."""
        return Range(_scaled(self.least, factor), _scaled(self.most, factor))

    def or_(self, other: "Range") -> "Range":
        """The one or the other."""
        return Range(min(self.least, other.least), max(self.most, other.most))


def exactly(number: int) -> Range:
    """Neither less nor more."""
    return Range(number, number)


def _scaled(number: int, factor: float) -> int:
    return min(math.ceil(float(number) * factor), MOST)


NOTHING: Final = exactly(0)
ONE: Final = exactly(1)
UNKNOWN: Final = Range(0, MOST)
