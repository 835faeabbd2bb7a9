"""A sorted set of keys for large numbers of keys."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, islice
from typing import Final

_MOST_IN_A_PIECE: Final = 2_000
PAST_EVERY_KEY: Final = "\U0010ffff"
"""Appended to a prefix, gives a string that sorts after all keys with the prefix."""


def folders_of(key: str) -> Sequence[str]:
    """Return the prefixes of a key that end with a slash, shortest first."""
    return _folders(key[: key.rfind("/") + 1])


@lru_cache(1024)
def _folders(innermost: str) -> Sequence[str]:
    # Cached, because all keys of one resource in one namespace have the same prefixes.
    return list(accumulate(f"{part}/" for part in innermost.split("/")[:-1]))


class SortedKeys:
    """A sorted set of keys in several short lists, so that an insertion moves only the keys of one list."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        there = sorted(keys)
        size = _MOST_IN_A_PIECE // 2
        self._pieces = [there[at : at + size] for at in range(0, len(there), size)]
        self._last = [piece[-1] for piece in self._pieces]
        """The last (greatest) key of each list, which tells in which list a key belongs."""

    def add(self, key: str) -> None:
        """Add a key that is not in the set."""
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
        """Remove a key that is in the set."""
        at = bisect_left(self._last, key)
        piece = self._pieces[at]
        del piece[bisect_left(piece, key)]
        if piece:
            self._last[at] = piece[-1]
        else:
            del self._pieces[at], self._last[at]

    def between(self, first: str, past: str, limit: int = 0) -> list[str]:
        """Return at most `limit` keys (0: all) from `first` up to but not including `past`."""
        (piece, at), (last, end) = self._place(first), self._place(past)
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
        """Yield the keys from `first` up to but not including `past`. The set must not change during the iteration."""
        (piece, at), (last, end) = self._place(first), self._place(past)
        for each in range(piece, min(last + 1, len(self._pieces)) if first < past else 0):
            keys = self._pieces[each]
            yield from islice(keys, at if each == piece else 0, end if each == last else None)

    def count(self, first: str, past: str) -> int:
        """Return the number of keys from `first` up to but not including `past`."""
        (piece, at), (last, end) = self._place(first), self._place(past)
        return sum(map(len, self._pieces[piece:last])) - at + end if first < past else 0

    def _place(self, key: str) -> tuple[int, int]:
        """Return the index of the list, and the index in it, of the first key that is not less than `key`."""
        piece = bisect_left(self._last, key)
        return (piece, bisect_left(self._pieces[piece], key)) if piece < len(self._pieces) else (piece, 0)
