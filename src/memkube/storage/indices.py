"""Which keys hold values that an index finds by one of its values: what lists narrow their search by."""

import asyncio
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from typing import Final, Generic

from memkube.storage.interface import Event, Index, MatchValue, V
from memkube.storage.sorted_keys import PAST_EVERY_KEY, SortedKeys

_MOST_MADE: Final = 16
"""How many indices are kept beside those that are always kept; the one that was asked for longest ago goes."""
_WORTH_AN_INDEX: Final = 256
"""Fewer values than that are looked through as fast."""
_AT_ONCE: Final = 256


class _Postings:
    """The keys of one index by value, each value's in order."""

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


class Narrowed(Generic[V]):
    """The keys under which values that match are found, in order."""

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
        """Those from `first` on and before `past`; nothing may be written meanwhile."""
        found = [
            map(keys.__getitem__, range(bisect_left(keys, first), bisect_left(keys, past))) for keys in self._found
        ]
        return found[0] if len(found) == 1 else merge(*found)


class Indices(Generic[V]):
    """The indices of one storage. One is made when a list first has use for it, and kept up with every change."""

    def __init__(self, always: Iterable[Index[V]] = ()) -> None:
        """Those that are `always` kept are there from the beginning, when there are no values yet."""
        self._made: dict[Index[V], _Postings] = {index: _Postings(complete=True) for index in always}
        self._always = frozenset(self._made)

    def note(self, event: Event[V]) -> None:
        """Keeps up with a change."""
        key = event.key
        for index, postings in self._made.items():
            if key.startswith(index.prefix):
                before = None if event.previous is None else index.of(event.previous)
                after = None if event.type == "deleted" else index.of(event.value)
                if before != after:
                    postings.remove(before, key)
                    postings.add(after, key)

    def forget(self) -> None:
        """Everything is other than it was: indices are made anew when they are asked for."""
        self._made.clear()

    async def narrowed(
        self, prefix: str, matching: Sequence[MatchValue[V]], keys: SortedKeys, values: Mapping[str, V]
    ) -> Narrowed[V] | None:
        """The fewest keys that an index tells for one of the matches; None where it is no use to ask one.

        Others get their turn while an index is made.
        """
        past = prefix + PAST_EVERY_KEY
        many = keys.count(prefix, past) >= _WORTH_AN_INDEX
        for match in matching if many else ():
            if match.index in self._made:
                self._made[match.index] = self._made.pop(match.index)
            else:
                await self._make(match.index, keys, values)
        found = [Narrowed(m, p) for m in matching if (p := self._made.get(m.index)) is not None and p.complete]
        return min(found, key=lambda narrowed: narrowed.size, default=None)

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
