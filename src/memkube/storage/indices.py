"""Indices of keys by a string derived from the value. They speed up lists with selectors."""

import asyncio
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from typing import Final, Generic

from memkube.storage.interface import Event, Index, MatchValue, V
from memkube.storage.sorted_keys import PAST_EVERY_KEY, SortedKeys

_MOST_MADE: Final = 16
"""Maximum number of indices created by lists. The least recently used index is dropped."""
_WORTH_AN_INDEX: Final = 256
"""Minimum number of values for which an index is faster than a scan."""
_AT_ONCE: Final = 256


class _Postings:
    """One index: the sorted storage keys of the objects that have an indexed string, such as the name of a node."""

    __slots__ = ("complete", "keys")

    def __init__(self, *, complete: bool) -> None:
        self.keys: dict[str, list[str]] = {}
        self.complete = complete

    def add(self, value: str | None, key: str) -> None:
        if value is None:
            return
        keys = self.keys.setdefault(value, [])
        if not keys or keys[-1] < key:
            keys.append(key)
        elif keys[at := bisect_left(keys, key)] != key:
            keys.insert(at, key)

    def remove(self, value: str | None, key: str) -> None:
        keys = self.keys.get(value, []) if value is not None else []
        at = bisect_left(keys, key)
        if at < len(keys) and keys[at] == key:
            del keys[at]
            if not keys and value is not None:
                del self.keys[value]


class Candidates(Generic[V]):
    """Sorted keys of the values that satisfy a condition, found by an index."""

    def __init__(self, match: MatchValue[V], postings: _Postings) -> None:
        self.match = match
        keys = postings.keys
        self._found: Sequence[list[str]] = (
            [found for value, found in keys.items() if value != match.value]
            if match.negated
            else [keys.get(match.value, [])]
        )
        self.size = sum(map(len, self._found))

    def iterate(self, first: str, past: str) -> Iterator[str]:
        """Yield the keys from `first` up to but not including `past`. The storage must not change meanwhile."""
        found = [
            map(keys.__getitem__, range(bisect_left(keys, first), bisect_left(keys, past))) for keys in self._found
        ]
        return found[0] if len(found) == 1 else merge(*found)


class Indices(Generic[V]):
    """The indices of one storage.

    An index is created by the first list that uses it, and then updated with each change.
    """

    def __init__(self, always: Iterable[Index[V]] = ()) -> None:
        """Create the indices in `always`, which are never dropped. The storage must be empty."""
        self._made: dict[Index[V], _Postings] = {index: _Postings(complete=True) for index in always}
        self._always = frozenset(self._made)

    def note(self, event: Event[V]) -> None:
        """Update all indices with a change of a value."""
        key = event.key
        for index, postings in self._made.items():
            if key.startswith(index.prefix):
                before = None if event.previous is None else index.of(event.previous)
                after = None if event.type == "deleted" else index.of(event.value)
                if before != after:
                    postings.remove(before, key)
                    postings.add(after, key)

    def forget(self) -> None:
        """Drop all indices, because all values were replaced. Lists create them again."""
        self._made.clear()

    async def candidates(
        self, prefix: str, matching: Sequence[MatchValue[V]], keys: SortedKeys, values: Mapping[str, V]
    ) -> Candidates[V] | None:
        """Return the smallest set of keys that an index finds for one of the conditions, or None if no index helps.

        While an index is created, other tasks of the event loop can run.
        """
        past = prefix + PAST_EVERY_KEY
        many = keys.count(prefix, past) >= _WORTH_AN_INDEX
        for match in matching if many else ():
            if match.index in self._made:
                self._made[match.index] = self._made.pop(match.index)
            else:
                await self._make(match.index, keys, values)
        found = [Candidates(m, p) for m in matching if (p := self._made.get(m.index)) is not None and p.complete]
        return min(found, key=lambda candidates: candidates.size, default=None)

    async def _make(self, index: Index[V], keys: SortedKeys, values: Mapping[str, V]) -> None:
        kept = [made for made in self._made if made not in self._always]
        for oldest in kept[: max(len(kept) + 1 - _MOST_MADE, 0)]:
            del self._made[oldest]
        postings = self._made[index] = _Postings(complete=False)
        try:
            there = keys.between(index.prefix, index.prefix + PAST_EVERY_KEY)
            for at in range(0, len(there), _AT_ONCE):
                for key in there[at : at + _AT_ONCE]:
                    if (value := values.get(key)) is not None:
                        postings.add(index.of(value), key)
                await asyncio.sleep(0)
        except BaseException:
            self._made.pop(index, None)
            raise
        postings.complete = True
