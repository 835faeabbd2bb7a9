"""Functions of lists, including functions that treat lists as sets.

Sources: cel-go's ``ext/lists.go`` (version 3) and ``ext/sets.go``; apiserver ``pkg/cel/library/lists.go``.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from memkube.cel.declarations import Implementations
from memkube.cel.errors import CostLimitExceeded, EvaluationError, no_such_overload
from memkube.cel.standard.equality import contains, is_ordered, order
from memkube.cel.standard.operators import add
from memkube.cel.syntax import Unsigned
from memkube.cel.values import MISSING, Duration, Timestamp, Value, is_list, kind_of, unsupported

_COMPARABLE: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_HASHED: Final = frozenset({bool, int, Unsigned, str, bytes, Duration, Timestamp})
_MOST_COMPARISONS: Final = 1_000_000
"""Maximum number of comparisons in one call; more would exceed the cost limit of an evaluation."""
_STABLE_IN_GO: Final = 12


def _is_sorted(items: Sequence[Value]) -> bool:
    before: Value = MISSING
    for item in items:
        _check_ordered(item)
        if before is not MISSING and _comes_after(before, item):
            return False
        before = item
    return True


def _check_ordered(value: Value) -> None:
    if not is_ordered(value):
        raise no_such_overload()


def _comes_after(one: Value, other: Value) -> bool:
    # If two values cannot be compared, each order of them counts as sorted.
    try:
        return order(one, other) > 0
    except EvaluationError:
        return False


def _sum(zero: Value, items: Sequence[Value]) -> Value:
    total = zero
    for item in items:
        total = add(total, item)
    return total


def _extreme(name: str, is_better: Callable[[Value, Value], bool], items: Sequence[Value]) -> Value:
    best: Value = MISSING
    for item in items:
        _check_ordered(item)
        if best is MISSING or is_better(best, item):
            best = item
    if best is MISSING:
        raise EvaluationError(f"{name} called on empty list")
    return best


_min: Final = partial(_extreme, "min", _comes_after)
_max: Final = partial(_extreme, "max", lambda best, item: _comes_after(item, best))


def _index_of(items: Sequence[Value], value: Value) -> int:
    return next((index for index, item in enumerate(items) if contains([value], item)), -1)


def _last_index_of(items: Sequence[Value], value: Value) -> int:
    indices = range(len(items) - 1, -1, -1)
    return next((index for index in indices if contains([value], items[index])), -1)


def _slice(items: Sequence[Value], start: int, end: int) -> list[Value]:
    if start < 0 or end < 0:
        raise EvaluationError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise EvaluationError(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if end > len(items):
        raise EvaluationError(f"cannot slice({start}, {end}), list is length {len(items)}")
    return [items[index] for index in range(start, end)]


def _flattened(items: Value, depth: int = 1) -> list[Value]:
    if not is_list(items):
        raise EvaluationError(f"no such overload: {kind_of(items)}.flatten()")
    if kind_of(depth) != "int":
        raise EvaluationError("no such overload")
    if depth < 0:
        raise EvaluationError("level must be non-negative")
    return list(_flat(items, depth))


def _flat(items: Any, depth: int) -> Iterator[Value]:
    for item in items:
        if depth and is_list(item):
            yield from _flat(item, depth - 1)
        else:
            yield item


def _sorted_by(items: Sequence[Value], keys: Sequence[Any]) -> Value:
    if len(items) != len(keys):
        raise EvaluationError(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, "
            f"but got {len(items)} and {len(keys)} elements respectively"
        )
    if not items:
        return items
    if not is_ordered(keys[0]):
        raise EvaluationError("list elements must be comparable")
    kind = kind_of(keys[0])
    if len(keys) > 1 and any(kind_of(key) != kind for key in keys):
        raise EvaluationError("list elements must have the same type")
    indices = list(range(len(keys)))
    if len(indices) > _STABLE_IN_GO:
        indices.sort(key=keys.__getitem__)
    else:
        # Go sorts short lists by insertion sort; the same algorithm leaves NaN at the same position as in Go.
        for end in range(1, len(indices)):
            at = end
            while at and keys[indices[at]] < keys[indices[at - 1]]:
                indices[at - 1], indices[at] = indices[at], indices[at - 1]
                at -= 1
    return [items[index] for index in indices]


def _sorted(items: Sequence[Any]) -> Value:
    if not is_list(items):
        raise unsupported("sort", items)
    return _sorted_by(items, items)


def _range(length: int) -> list[Value]:
    if length > _MOST_COMPARISONS:
        raise CostLimitExceeded
    return list(range(length))


def _distinct(items: Sequence[Value]) -> Value:
    if _are_hashed(items):
        return list(dict.fromkeys(items))
    _check_comparisons(len(items), len(items))
    found: list[Value] = []
    for item in items:
        if not contains(found, item):
            found.append(item)
    return found


def _are_hashed(*lists: Sequence[Value]) -> bool:
    """True if all items of the lists have one type, and if Python's sets compare values of this type as CEL does."""
    kinds = {item.__class__ for items in lists for item in items}
    return len(kinds) <= 1 and kinds <= _HASHED


def _check_comparisons(one: int, other: int) -> None:
    if one * other > _MOST_COMPARISONS:
        raise CostLimitExceeded


def _set_contains(items: Sequence[Value], others: Sequence[Value]) -> bool:
    if _are_hashed(items, others):
        return set(items).issuperset(others)
    _check_comparisons(len(items), len(others))
    return all(contains(items, other) for other in others)


def _set_intersects(items: Sequence[Value], others: Sequence[Value]) -> bool:
    if _are_hashed(items, others):
        return not set(items).isdisjoint(others)
    _check_comparisons(len(items), len(others))
    return any(contains(others, item) for item in items)


def _set_equivalent(items: Sequence[Value], others: Sequence[Value]) -> bool:
    return _set_contains(items, others) and _set_contains(others, items)


LISTS: Final[Implementations] = {
    "isSorted": {f"list({kind}).(): bool": _is_sorted for kind in _COMPARABLE},
    "sum": {
        f"list({kind}).(): {kind}": partial(_sum, zero)
        for kind, zero in (("int", 0), ("uint", Unsigned(0)), ("double", 0.0), ("duration", Duration(0)))
    },
    "min": {f"list({kind}).(): {kind}": _min for kind in _COMPARABLE},
    "max": {f"list({kind}).(): {kind}": _max for kind in _COMPARABLE},
    "indexOf": {"list(A).(A): int": _index_of},
    "lastIndexOf": {"list(A).(A): int": _last_index_of},
    "slice": {"list(T).(int, int): list(T)": _slice},
    "flatten": {"list(list(T)).(): list(T)": _flattened, "list(dyn).(int): list(dyn)": _flattened},
    "sort": {f"list({kind}).(): list({kind})": _sorted for kind in _COMPARABLE},
    "@sortByAssociatedKeys": {f"list(T).(list({kind})): list(T)": _sorted_by for kind in _COMPARABLE},
    "lists.range": {"(int): list(int)": _range},
    "reverse": {"list(T).(): list(T)": lambda items: list(reversed(items))},
    "distinct": {"list(T).(): list(T)": _distinct},
}
SETS: Final[Implementations] = {
    "sets.contains": {"(list(T), list(T)): bool": _set_contains},
    "sets.equivalent": {"(list(T), list(T)): bool": _set_equivalent},
    "sets.intersects": {"(list(T), list(T)): bool": _set_intersects},
}
