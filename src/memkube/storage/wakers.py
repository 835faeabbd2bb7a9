"""Readers that sleep, found by what they wait for: a change wakes those that it may concern, however many there are."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol

from memkube.storage.interface import Event, Index, MatchValue, V
from memkube.storage.sorted_keys import folders_of


class Wake(NamedTuple):
    """Why a sleeping reader woke."""

    timed_out: bool
    seen: int
    """Up to this revision, nothing that concerns the reader has happened since it fell asleep."""


class Waker(Protocol):
    """What wakes one reader: a future, or the like."""

    def done(self) -> bool:
        """Whether it has."""

    def set_result(self, wake: Wake, /) -> None:
        """Wakes the reader."""


class Reader(Protocol):
    """Whoever has read up to a revision."""

    revision: int


class Call:
    """Has a reader called, for whom no task waits: much less than a future, where there are many of them.

    It stays with those who sleep when it is woken, and does nothing until it is given something to call again.
    """

    __slots__ = ("callback", "reader")

    def __init__(self, reader: Reader) -> None:
        """`reader` comes to have read what did not concern it until it is woken."""
        self.callback: Callable[[], None] | None = None
        self.reader = reader

    def done(self) -> bool:
        """See Waker."""
        return self.callback is None

    def set_result(self, wake: Wake, /) -> None:
        """See Waker."""
        if (callback := self.taken(wake.seen)) is not None:
            asyncio.get_running_loop().call_soon(callback)

    def taken(self, seen: int) -> Callable[[], None] | None:
        """What is to be called, soon and by whoever has taken it; None if somebody has before."""
        callback, reader = self.callback, self.reader
        if callback is None:
            # The reader has something to read, and may not be taken past it.
            return None
        self.callback = None
        if seen > reader.revision:
            reader.revision = seen
        return callback


class _Wakers:
    """Who waits for the same."""

    __slots__ = ("calls", "once")

    def __init__(self) -> None:
        self.calls: set[Call] = set()
        self.once: set[Waker] = set()

    def __bool__(self) -> bool:
        return bool(self.calls or self.once)

    def add(self, waker: Waker) -> None:
        if isinstance(waker, Call):
            self.calls.add(waker)
        else:
            self.once.add(waker)

    def discard(self, waker: Waker) -> None:
        if isinstance(waker, Call):
            self.calls.discard(waker)
        else:
            self.once.discard(waker)

    def take(self, taken: list[Waker]) -> None:
        """Those who are woken; who waits once waits no longer."""
        taken += self.calls
        if self.once:
            taken += self.once
            self.once = set()


class Sleepers(Generic[V]):
    """Those who wait for changes under a prefix, and among these those that want one value of an index alone."""

    def __init__(self) -> None:
        self._below: dict[str, _Group[V]] = {}
        """By prefixes that end where a part of keys does: a change is under five of them."""
        self._others: dict[str, _Group[V]] = {}

    def add(self, prefix: str, match: MatchValue[V] | None, waker: Waker) -> None:
        """It is to be woken by the next change under the prefix; with `match`, by one of a value that holds it."""
        groups = self._below if prefix.endswith("/") else self._others
        group = groups.get(prefix)
        if group is None:
            group = groups[prefix] = _Group()
        (group.any if match is None else group.wakers_of(match)).add(waker)

    def remove(self, prefix: str, match: MatchValue[V] | None, waker: Waker) -> None:
        """It is to be woken no more, if it ever was."""
        groups = self._below if prefix.endswith("/") else self._others
        group = groups.get(prefix)
        if group is not None and group.remove(match, waker):
            del groups[prefix]

    def take_concerned(self, event: Event[V]) -> Sequence[Waker]:
        """Those whom a change concerns, who sleep no longer, unless they are calls."""
        key, below, others = event.key, self._below, self._others
        taken: list[Waker] = []
        if below:
            for prefix in folders_of(key):
                if prefix in below:
                    self._take(below, prefix, event, taken)
        if others:
            for prefix in [prefix for prefix in others if key.startswith(prefix)]:
                self._take(others, prefix, event, taken)
        return taken

    def take_all(self) -> Iterator[Waker]:
        """Everybody; nobody sleeps any longer, but for calls."""
        for groups in (self._below, self._others):
            for prefix, group in list(groups.items()):
                yield from group.take_all()
                if group.is_empty():
                    del groups[prefix]

    @staticmethod
    def _take(groups: "dict[str, _Group[V]]", prefix: str, event: Event[V], taken: list[Waker]) -> None:
        group = groups[prefix]
        group.take(event, taken)
        if group.is_empty():
            del groups[prefix]


class _Group(Generic[V]):
    """Those who wait under one prefix."""

    __slots__ = ("_matching", "any")

    def __init__(self) -> None:
        self.any = _Wakers()
        self._matching: dict[Index[V], dict[str, _Wakers]] = {}

    def is_empty(self) -> bool:
        return not (self.any or self._matching)

    def wakers_of(self, match: MatchValue[V]) -> _Wakers:
        return self._matching.setdefault(match.index, {}).setdefault(match.value, _Wakers())

    def remove(self, match: MatchValue[V] | None, waker: Waker) -> bool:
        """Whether the group is empty now."""
        if match is None:
            self.any.discard(waker)
        else:
            self.wakers_of(match).discard(waker)
            self._tidy(match.index, match.value)
        return self.is_empty()

    def take(self, event: Event[V], taken: list[Waker]) -> None:
        self.any.take(taken)
        for index, values in list(self._matching.items()):
            told = {index.of(event.value)}
            if event.previous is not None:
                told.add(index.of(event.previous))
            for value in told:
                if value in values:
                    values[value].take(taken)
                    self._tidy(index, value)

    def take_all(self) -> list[Waker]:
        taken: list[Waker] = []
        self.any.take(taken)
        for index, values in list(self._matching.items()):
            for value, wakers in list(values.items()):
                wakers.take(taken)
                self._tidy(index, value)
        return taken

    def _tidy(self, index: Index[V], value: str) -> None:
        """Forgets a value that nobody waits for."""
        values = self._matching[index]
        if not values[value]:
            del values[value]
        if not values:
            del self._matching[index]
