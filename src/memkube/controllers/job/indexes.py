"""Sets of completion indexes, written as ``0,3-5`` (``indexed_job_utils.go``)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Indexes:
    """A set of indexes as intervals, both ends included, in order and with gaps between them."""

    intervals: tuple[tuple[int, int], ...] = ()

    @classmethod
    def parse(cls, text: str, completions: int) -> "Indexes":
        """Reads what can be read of a text, and drops indexes that are too high."""
        found = []
        for interval in text.split(",") if text else ():
            first, dash, last = interval.partition("-")
            if first.isdecimal() and (last.isdecimal() or not dash) and int(first) < completions:
                found.append((int(first), min(int(last or first), completions - 1)))
        return cls(tuple(_merged(found)))

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.intervals)

    def __contains__(self, index: int) -> bool:
        return any(first <= index <= last for first, last in self.intervals)

    def __str__(self) -> str:
        return ",".join(map(_written, self.intervals))

    def __or__(self, others: "Indexes") -> "Indexes":
        return Indexes(tuple(_merged([*self.intervals, *others.intervals])))

    def with_each(self, indexes: Iterable[int]) -> "Indexes":
        """The set with more indexes."""
        return self | Indexes(tuple((index, index) for index in sorted(set(indexes))))

    def overlap(self, others: "Indexes") -> int:
        """How many indexes are in both sets."""
        pairs = ((one, other) for one in self.intervals for other in others.intervals)
        return sum(max(min(a[1], b[1]) - max(a[0], b[0]) + 1, 0) for a, b in pairs)

    def missing(self, completions: int) -> Iterator[int]:
        """The indexes below `completions` that are not in the set, in order."""
        start = 0
        for first, last in self.intervals:
            yield from range(start, min(first, completions))
            start = last + 1
        yield from range(start, completions)


def _merged(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(intervals):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return merged


def _written(interval: tuple[int, int]) -> str:
    first, last = interval
    if first == last:
        return str(first)
    return f"{first}{',' if last == first + 1 else '-'}{last}"
