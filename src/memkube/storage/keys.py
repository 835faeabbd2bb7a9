"""The sorted keys of a storage, and indices that speed up lists with selectors.

An index finds the keys of values by a string that is computed from the value, such as the name of a pod's node.
"""

import asyncio
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import merge
from itertools import accumulate, islice
from typing import Final, Generic

from memkube.storage.interface import Event, Index, MatchValue, V

_MOST_IN_A_PIECE: Final = 2_000
PAST_EVERY_KEY: Final = "\U0010ffff"
"""Text that, appended to a prefix, sorts after all keys with this prefix."""
_MOST_MADE: Final = 16
"""Maximum number of indices that lists have created. The least recently used index is removed first."""
_WORTH_AN_INDEX: Final = 256
"""Minimum number of values under a prefix for which an index is created. For fewer values, a scan is faster."""
_AT_ONCE: Final = 256


def folders_of(key: str) -> Sequence[str]:
    """Return the prefixes of a key that end with a slash, shortest first."""
    return _folders(key[: key.rfind("/") + 1])


@lru_cache(1024)
def _folders(innermost: str) -> Sequence[str]:
    # The result is cached, because all keys of a resource in one namespace have the same prefixes.
    return list(accumulate(f"{part}/" for part in innermost.split("/")[:-1]))


class SortedKeys:
    """A sorted set of keys.

    The keys are in several short lists, so that an insertion moves only the keys of one list.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        there = sorted(keys)
        size = _MOST_IN_A_PIECE // 2
        self._pieces = [there[at : at + size] for at in range(0, len(there), size)]
        self._last = [piece[-1] for piece in self._pieces]
        """The last (greatest) key of each list. A binary search in it finds the list for a key."""

    def add(self, key: str) -> None:
        """Add a key, which must not be in the set."""
        if not self._pieces:
            self._pieces, self._last = [[key]], [key]
            return
        at = min(bisect_left(self._last, key), len(self._last) - 1)
        piece = self._pieces[at]
        insort(piece, key)
        if len(piece) > _MOST_IN_A_PIECE:
            half = len(piece) // 2
            self._pieces[at : at + 1] = piece[:half], piece[half:]
            self._last[at : at + 1] = piece[half - 1], piece[-1]
        else:
            self._last[at] = piece[-1]

    def remove(self, key: str) -> None:
        """Remove a key, which must be in the set."""
        at = bisect_left(self._last, key)
        piece = self._pieces[at]
        del piece[bisect_left(piece, key)]
        if piece:
            self._last[at] = piece[-1]
        else:
            del self._pieces[at], self._last[at]

    def between(self, first: str, past: str, limit: int = 0) -> list[str]:
        """Return at most `limit` keys (0: all) from `first` up to but not including `past`."""
        (piece, at), (last, end) = self._locate(first), self._locate(past)
        if first >= past or piece == len(self._pieces):
            return []
        if piece == last:
            return self._pieces[piece][at : min(end, at + limit) if limit else end]
        keys = self._pieces[piece][at:]
        for each in range(piece + 1, last):
            if limit and len(keys) >= limit:
                break
            keys += self._pieces[each]
        if end and not (limit and len(keys) >= limit):
            keys += self._pieces[last][:end]
        return keys[:limit] if limit else keys

    def iterate(self, first: str, past: str) -> Iterator[str]:
        """Yield the keys from `first` up to but not including `past`. Do not change the set during the iteration."""
        (piece, at), (last, end) = self._locate(first), self._locate(past)
        for each in range(piece, min(last + 1, len(self._pieces)) if first < past else 0):
            keys = self._pieces[each]
            yield from islice(keys, at if each == piece else 0, end if each == last else None)

    def count(self, first: str, past: str) -> int:
        """Return the number of keys from `first` up to but not including `past`."""
        (piece, at), (last, end) = self._locate(first), self._locate(past)
        return sum(map(len, self._pieces[piece:last])) - at + end if first < past else 0

    def _locate(self, key: str) -> tuple[int, int]:
        """Find the first key that is not less than `key`. Return the index of its list, and its index in that list."""
        piece = bisect_left(self._last, key)
        return (piece, bisect_left(self._pieces[piece], key)) if piece < len(self._pieces) else (piece, 0)


class _Postings:
    """One index: maps an indexed string, such as a node's name, to the sorted storage keys of the values that have it.

    For example, an index of pods by node has the storage keys of the node's pods. `complete` is False until all values
    that are in the storage have been added.
    """

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
    """The sorted keys of the values that satisfy a condition, from an index."""

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
        """Yield the keys from `first` up to but not including `past`. Do not change the index meanwhile."""
        found = [
            map(keys.__getitem__, range(bisect_left(keys, first), bisect_left(keys, past))) for keys in self._found
        ]
        return found[0] if len(found) == 1 else merge(*found)


class Indices(Generic[V]):
    """The indices of one storage.

    An index is created by the first list that uses it, and then updated with each change.
    """

    def __init__(self, always: Iterable[Index[V]] = ()) -> None:
        """Create the indices in `always`, which are never evicted. The storage must be empty."""
        self._made: dict[Index[V], _Postings] = {index: _Postings(complete=True) for index in always}
        self._always = frozenset(self._made)

    def note(self, event: Event[V]) -> None:
        """Update the indices after a value was created, updated or deleted."""
        key = event.key
        for index, postings in self._made.items():
            if key.startswith(index.prefix):
                before = None if event.previous is None else index.of(event.previous)
                after = None if event.type == "deleted" else index.of(event.value)
                if before != after:
                    postings.remove(before, key)
                    postings.add(after, key)

    def forget(self) -> None:
        """Remove all indices, because all values were replaced. The next lists that need an index create it again."""
        self._made.clear()

    async def candidates(
        self, prefix: str, matching: Sequence[MatchValue[V]], keys: SortedKeys, values: Mapping[str, V]
    ) -> Candidates[V] | None:
        """Return the keys that an index finds for one of the conditions `matching`; None if no condition has an index.

        If several conditions have an index, the smallest result is returned. `keys` and `values` are all keys and
        values of the storage. If many keys begin with `prefix`, missing indices are first created from them; during the
        creation, other tasks of the event loop can run.
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
