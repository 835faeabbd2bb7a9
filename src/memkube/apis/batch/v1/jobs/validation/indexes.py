"""Sets of indexes as they are written: ``1,3-5``."""

from memkube.apimachinery.shown_values import quoted


class BadIndexes(ValueError):
    """The text stands for no set of indexes; the message is the reference's."""


def counted_indexes(text: str, completions: int) -> int:
    """How many indexes there are. Raises BadIndexes."""
    total, last = 0, -1
    for interval in text.split(",") if text else []:
        first, end = _interval(interval, completions)
        if last >= first:
            raise BadIndexes(f"non-increasing order, previous: {last}, current: {first}")
        total, last = total + end - first + 1, end
    return total


def common_index(one: str, other: str, completions: int) -> int | None:
    """The first index that is in both sets, as far as they can be read."""
    mine, theirs = _readable(one, completions), _readable(other, completions)
    overlaps = (max(a, c) for a, b in mine for c, d in theirs if a <= d and c <= b)
    return next(overlaps, None)


def _readable(text: str, completions: int) -> list[tuple[int, int]]:
    found = []
    for interval in text.split(",") if text else []:
        try:
            found.append(_interval(interval, completions))
        except BadIndexes:
            continue
    return found


def _interval(text: str, completions: int) -> tuple[int, int]:
    ends = text.split("-")
    if len(ends) > 2:
        why = "violates the requirement that an index interval can have at most two parts separated by '-'"
        raise BadIndexes(f"the fragment {quoted(text)} {why}")
    first = _index(ends[0], completions)
    if len(ends) == 1:
        return first, first
    last = _index(ends[1], completions)
    if first >= last:
        raise BadIndexes(f"non-increasing order, previous: {first}, current: {last}")
    return first, last


def _index(text: str, completions: int) -> int:
    if not (text.isascii() and text.lstrip("+").isdigit() and text.count("+") <= 1):
        raise BadIndexes(f"cannot convert string to integer for index: {quoted(text)}")
    if int(text) >= completions:
        raise BadIndexes(f"too large index: {quoted(text)}")
    return int(text)
