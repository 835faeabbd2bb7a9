"""The readers of a log that wait, grouped by what they wait for, so that a change finds the affected ones quickly."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol

from memkube.storage.interface import Event, Index, MatchValue, V
from memkube.storage.sorted_keys import folders_of


class WakeReason(NamedTuple):
    """The reason why a waiting reader was woken."""

    timed_out: bool
    seen: int
    """No event up to this revision concerns the reader since it began to wait."""


class Waiter(Protocol):
    """An object that wakes one reader, such as a future."""

    def done(self) -> bool:
        """Return True if the reader was woken."""

    def set_result(self, wake: WakeReason, /) -> None:
        """Wake the reader."""


class Reader(Protocol):
    """A reader of the log."""

    revision: int


class CallbackWaiter:
    """Wakes a reader by calling a callback. With many readers this is much cheaper than a future for each.

    It stays registered after a wake-up, and does nothing until it is given another callback.
    """

    __slots__ = ("callback", "reader")

    def __init__(self, reader: Reader) -> None:
        """`reader` is advanced past events that did not concern it when it is woken."""
        self.callback: Callable[[], None] | None = None
        self.reader = reader

    def done(self) -> bool:
        return self.callback is None

    def set_result(self, wake: WakeReason, /) -> None:
        if (callback := self.pop_callback(wake.seen)) is not None:
            asyncio.get_running_loop().call_soon(callback)

    def pop_callback(self, seen: int) -> Callable[[], None] | None:
        """Return the callback for the caller to run soon, or None if it was returned before."""
        callback, reader = self.callback, self.reader
        if callback is None:
            # The reader has unread events, and must not be advanced past them.
            return None
        self.callback = None
        if seen > reader.revision:
            reader.revision = seen
        return callback


class _Waiters:
    """The waiters for one prefix and condition."""

    __slots__ = ("callbacks", "once")

    def __init__(self) -> None:
        self.callbacks: set[CallbackWaiter] = set()
        self.once: set[Waiter] = set()

    def __bool__(self) -> bool:
        return bool(self.callbacks or self.once)

    def add(self, waiter: Waiter) -> None:
        if isinstance(waiter, CallbackWaiter):
            self.callbacks.add(waiter)
        else:
            self.once.add(waiter)

    def discard(self, waiter: Waiter) -> None:
        if isinstance(waiter, CallbackWaiter):
            self.callbacks.discard(waiter)
        else:
            self.once.discard(waiter)

    def take(self, taken: list[Waiter]) -> None:
        """Append the waiters to `taken`, and unregister those that are woken only once."""
        taken += self.callbacks
        if self.once:
            taken += self.once
            self.once = set()


class WaitingReaders(Generic[V]):
    """The waiting readers by prefix, and within a prefix by the index value that they wait for."""

    def __init__(self) -> None:
        self._below: dict[str, _Group[V]] = {}
        """By prefixes that end with a slash: the key of a change has about five of them."""
        self._others: dict[str, _Group[V]] = {}

    def add(self, prefix: str, match: MatchValue[V] | None, waiter: Waiter) -> None:
        """Register a waiter for the next change under the prefix; with `match`, of a value that matches."""
        groups = self._below if prefix.endswith("/") else self._others
        group = groups.get(prefix)
        if group is None:
            group = groups[prefix] = _Group()
        (group.any if match is None else group.waiters_for(match)).add(waiter)

    def remove(self, prefix: str, match: MatchValue[V] | None, waiter: Waiter) -> None:
        """Unregister a waiter. No effect if it is not registered."""
        groups = self._below if prefix.endswith("/") else self._others
        group = groups.get(prefix)
        if group is not None and group.remove(match, waiter):
            del groups[prefix]

    def pop_affected(self, event: Event[V]) -> Sequence[Waiter]:
        """Return the waiters that a change concerns. All but CallbackWaiters are unregistered."""
        key, below, others = event.key, self._below, self._others
        taken: list[Waiter] = []
        if below:
            for prefix in folders_of(key):
                if prefix in below:
                    self._take(below, prefix, event, taken)
        if others:
            for prefix in [prefix for prefix in others if key.startswith(prefix)]:
                self._take(others, prefix, event, taken)
        return taken

    def pop_all(self) -> Iterator[Waiter]:
        """Yield all waiters. All but CallbackWaiters are unregistered."""
        for groups in (self._below, self._others):
            for prefix, group in list(groups.items()):
                yield from group.pop_all()
                if group.is_empty():
                    del groups[prefix]

    @staticmethod
    def _take(groups: "dict[str, _Group[V]]", prefix: str, event: Event[V], taken: list[Waiter]) -> None:
        group = groups[prefix]
        group.take(event, taken)
        if group.is_empty():
            del groups[prefix]


class _Group(Generic[V]):
    """The waiters under one prefix."""

    __slots__ = ("_matching", "any")

    def __init__(self) -> None:
        self.any = _Waiters()
        self._matching: dict[Index[V], dict[str, _Waiters]] = {}

    def is_empty(self) -> bool:
        return not (self.any or self._matching)

    def waiters_for(self, match: MatchValue[V]) -> _Waiters:
        return self._matching.setdefault(match.index, {}).setdefault(match.value, _Waiters())

    def remove(self, match: MatchValue[V] | None, waiter: Waiter) -> bool:
        """Unregister a waiter, and return True if the group is empty."""
        if match is None:
            self.any.discard(waiter)
        else:
            self.waiters_for(match).discard(waiter)
            self._tidy(match.index, match.value)
        return self.is_empty()

    def take(self, event: Event[V], taken: list[Waiter]) -> None:
        self.any.take(taken)
        for index, values in list(self._matching.items()):
            told = {index.of(event.value)}
            if event.previous is not None:
                told.add(index.of(event.previous))
            for value in told:
                if value in values:
                    values[value].take(taken)
                    self._tidy(index, value)

    def pop_all(self) -> list[Waiter]:
        taken: list[Waiter] = []
        self.any.take(taken)
        for index, values in list(self._matching.items()):
            for value, waiters in list(values.items()):
                waiters.take(taken)
                self._tidy(index, value)
        return taken

    def _tidy(self, index: Index[V], value: str) -> None:
        """Remove the entry of an index value without waiters."""
        values = self._matching[index]
        if not values[value]:
            del values[value]
        if not values:
            del self._matching[index]
