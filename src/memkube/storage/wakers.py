"""Readers that sleep, found by what they wait for: a change wakes those that it may concern, however many there are."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeAlias

from memkube.storage.interface import Event, Index, MatchValue, V


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
    """Has a reader called, for whom no task waits: much less than a future, where there are many of them."""

    __slots__ = ("callback", "reader")

    def __init__(self, callback: Callable[[], None], reader: Reader | None = None) -> None:
        """`reader` comes to have read what did not concern it until it is woken."""
        self.callback: Callable[[], None] | None = callback
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
        if reader is not None and seen > reader.revision:
            reader.revision = seen
        return callback


_Wakers: TypeAlias = set[Waker]


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
        """Those whom a change concerns, who sleep no longer."""
        key, below, others = event.key, self._below, self._others
        taken: list[Waker] = []
        if below:
            end = key.find("/")
            while end >= 0:
                prefix = key[: end + 1]
                if prefix in below:
                    self._take(below, prefix, event, taken)
                end = key.find("/", end + 1)
        if others:
            for prefix in [prefix for prefix in others if key.startswith(prefix)]:
                self._take(others, prefix, event, taken)
        return taken

    def take_all(self) -> Iterator[Waker]:
        """Everybody; nobody sleeps any longer."""
        groups = [*self._below.values(), *self._others.values()]
        self._below.clear()
        self._others.clear()
        for group in groups:
            yield from group.all()

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
        self.any: _Wakers = set()
        self._matching: dict[Index[V], dict[str, _Wakers]] = {}

    def is_empty(self) -> bool:
        return not self.any and not self._matching

    def wakers_of(self, match: MatchValue[V]) -> _Wakers:
        return self._matching.setdefault(match.index, {}).setdefault(match.value, set())

    def remove(self, match: MatchValue[V] | None, waker: Waker) -> bool:
        """Whether the group is empty now."""
        if match is None:
            self.any.discard(waker)
        elif (values := self._matching.get(match.index)) is not None and match.value in values:
            values[match.value].discard(waker)
            if not values[match.value]:
                self._drop(match.index, match.value)
        return self.is_empty()

    def take(self, event: Event[V], taken: list[Waker]) -> None:
        taken += self.any
        self.any = set()
        for index, values in list(self._matching.items()):
            told = {index.of(event.value)}
            if event.previous is not None:
                told.add(index.of(event.previous))
            for value in told:
                if value in values:
                    taken += self._drop(index, value)

    def all(self) -> Iterator[Waker]:
        yield from self.any
        for values in self._matching.values():
            for wakers in values.values():
                yield from wakers

    def _drop(self, index: Index[V], value: str) -> _Wakers:
        values = self._matching[index]
        wakers = values.pop(value)
        if not values:
            del self._matching[index]
        return wakers
