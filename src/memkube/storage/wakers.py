"""Readers that sleep, found by what they wait for: a change wakes those that it may concern, however many there are."""

import asyncio
from collections.abc import Callable, Iterator
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


class Call:
    """Wakes a reader that no task waits for: much less than a future, where there are many of them."""

    __slots__ = ("_callback", "_is_over", "_pass")

    def __init__(
        self, callback: Callable[[], None], is_over: Callable[[], bool], pass_to: Callable[[int], None] | None = None
    ) -> None:
        """Nothing is called any more when `is_over` says so; `pass_to` is told up to where nothing concerned it."""
        self._callback: Callable[[], None] | None = callback
        self._is_over = is_over
        self._pass = pass_to

    def done(self) -> bool:
        """See Waker."""
        return self._callback is None

    def set_result(self, wake: Wake, /) -> None:
        """See Waker."""
        callback, self._callback = self._callback, None
        if self._pass is not None:
            self._pass(wake.seen)
        if callback is not None and not self._is_over():
            asyncio.get_running_loop().call_soon(callback)


_Wakers: TypeAlias = set[Waker]


class Sleepers(Generic[V]):
    """Those who wait for changes under a prefix, and among these those that want one value of an index alone."""

    def __init__(self) -> None:
        self._below: dict[str, _Group[V]] = {}
        """By prefixes that end where a part of keys does: a change is under five of them."""
        self._others: dict[str, _Group[V]] = {}

    def add(self, prefix: str, match: MatchValue[V] | None, waker: Waker) -> None:
        """It is to be woken by the next change under the prefix; with `match`, by one of a value that holds it."""
        groups = self._groups(prefix)
        group = groups.get(prefix)
        if group is None:
            group = groups[prefix] = _Group()
        group.wakers_of(match).add(waker)

    def remove(self, prefix: str, match: MatchValue[V] | None, waker: Waker) -> None:
        """It is to be woken no more, if it ever was."""
        groups = self._groups(prefix)
        group = groups.get(prefix)
        if group is not None and group.remove(match, waker):
            del groups[prefix]

    def take_concerned(self, event: Event[V]) -> Iterator[Waker]:
        """Those whom a change concerns, who sleep no longer."""
        key, below, others = event.key, self._below, self._others
        if below:
            end = key.find("/")
            while end >= 0:
                prefix = key[: end + 1]
                if prefix in below:
                    yield from self._take(below, prefix, event)
                end = key.find("/", end + 1)
        if others:
            for prefix in [prefix for prefix in others if key.startswith(prefix)]:
                yield from self._take(others, prefix, event)

    def take_all(self) -> Iterator[Waker]:
        """Everybody; nobody sleeps any longer."""
        groups = [*self._below.values(), *self._others.values()]
        self._below.clear()
        self._others.clear()
        for group in groups:
            yield from group.all()

    def _groups(self, prefix: str) -> "dict[str, _Group[V]]":
        return self._below if prefix.endswith("/") else self._others

    @staticmethod
    def _take(groups: "dict[str, _Group[V]]", prefix: str, event: Event[V]) -> Iterator[Waker]:
        group = groups.get(prefix)
        if group is not None:
            yield from group.take(event)
            if group.is_empty():
                del groups[prefix]


class _Group(Generic[V]):
    """Those who wait under one prefix."""

    __slots__ = ("_any", "_matching")

    def __init__(self) -> None:
        self._any: _Wakers = set()
        self._matching: dict[Index[V], dict[str, _Wakers]] = {}

    def is_empty(self) -> bool:
        return not self._any and not self._matching

    def wakers_of(self, match: MatchValue[V] | None) -> _Wakers:
        if match is None:
            return self._any
        return self._matching.setdefault(match.index, {}).setdefault(match.value, set())

    def remove(self, match: MatchValue[V] | None, waker: Waker) -> bool:
        """Whether the group is empty now."""
        if match is None:
            self._any.discard(waker)
        elif (values := self._matching.get(match.index)) is not None and match.value in values:
            values[match.value].discard(waker)
            if not values[match.value]:
                self._drop(match.index, match.value)
        return self.is_empty()

    def take(self, event: Event[V]) -> Iterator[Waker]:
        wakers, self._any = self._any, set()
        yield from wakers
        for index, values in list(self._matching.items()):
            told = {index.of(event.value)}
            if event.previous is not None:
                told.add(index.of(event.previous))
            for value in told:
                if value in values:
                    yield from self._drop(index, value)

    def all(self) -> Iterator[Waker]:
        yield from self._any
        for values in self._matching.values():
            for wakers in values.values():
                yield from wakers

    def _drop(self, index: Index[V], value: str) -> _Wakers:
        values = self._matching[index]
        wakers = values.pop(value)
        if not values:
            del self._matching[index]
        return wakers
