"""The readers that wait for the next event of the event log which concerns them.

They are grouped by key prefix and by condition, so that the readers that a change concerns are found quickly.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol

from memkube.storage.interface import Event, Index, MatchValue, V
from memkube.storage.keys import folders_of


class WakeReason(NamedTuple):
    """The reason for waking a waiting reader: an event, or the timeout of the reader."""

    timed_out: bool
    seen: int
    """Revision up to which no event concerns the reader; -1 if unknown."""


class Waiter(Protocol):
    """Wakes one reader that waits for an event. A future of asyncio is a Waiter."""

    def done(self) -> bool:
        """Return True if the reader has already been woken."""

    def set_result(self, wake: WakeReason, /) -> None:
        """Wake the reader. The argument is the reason: an event, or the reader's timeout."""


class Reader(Protocol):
    """A reader of the event log; `revision` is the revision up to which it has read all events."""

    revision: int


class CallbackWaiter:
    """Wakes a reader by calling a callback, which is cheaper than a future if there are many readers.

    The waiter stays registered after it has woken the reader, and does nothing until `callback` is set again.
    """

    __slots__ = ("callback", "reader")

    def __init__(self, reader: Reader) -> None:
        """Create the object that wakes `reader`. It does nothing until `callback` is set.

        Waking the reader also advances its revision past the events that do not concern it.
        """
        self.callback: Callable[[], None] | None = None
        self.reader = reader

    def done(self) -> bool:
        return self.callback is None

    def set_result(self, wake: WakeReason, /) -> None:
        if (callback := self.pop_callback(wake.seen)) is not None:
            asyncio.get_running_loop().call_soon(callback)

    def pop_callback(self, seen: int) -> Callable[[], None] | None:
        """Remove the callback and return it. The caller must call it soon. None if the reader has already been woken.

        The caller guarantees that no event up to the revision `seen` concerns the reader, which therefore continues
        after this revision. If no such revision is known, `seen` is -1, and the reader's revision does not change.
        """
        callback, reader = self.callback, self.reader
        if callback is None:
            # The reader has been woken already and has events to read, so its revision must not be advanced past them.
            return None
        self.callback = None
        if seen > reader.revision:
            reader.revision = seen
        return callback


class _Waiters:
    """The Waiters that wake the readers of one key prefix and condition, in the order of their registration."""

    __slots__ = ("callbacks", "once")

    def __init__(self) -> None:
        # Dictionaries instead of sets, so that readers are woken in the order of their registration, which is the same
        # in each run of a program.
        self.callbacks: dict[CallbackWaiter, None] = {}
        self.once: dict[Waiter, None] = {}

    def __bool__(self) -> bool:
        return bool(self.callbacks or self.once)

    def add(self, waiter: Waiter) -> None:
        if isinstance(waiter, CallbackWaiter):
            self.callbacks[waiter] = None
        else:
            self.once[waiter] = None

    def discard(self, waiter: Waiter) -> None:
        if isinstance(waiter, CallbackWaiter):
            self.callbacks.pop(waiter, None)
        else:
            self.once.pop(waiter, None)

    def take(self, taken: list[Waiter]) -> None:
        """Append all Waiters to `taken`, so that the caller can wake their readers.

        All Waiters except CallbackWaiters are unregistered.
        """
        taken += self.callbacks
        if self.once:
            taken += self.once
            self.once = {}


class WaitingReaders(Generic[V]):
    """The readers that wait for a change, each registered with a Waiter, which wakes it.

    They are grouped by key prefix, and by the condition with which they filter changes.
    """

    def __init__(self) -> None:
        self._below: dict[str, _Group[V]] = {}
        """Groups by prefixes that end with a slash. The key of a change has about five such prefixes."""
        self._others: dict[str, _Group[V]] = {}

    def add(self, prefix: str, match: MatchValue[V] | None, waiter: Waiter) -> None:
        """Register a reader, which `waiter` wakes at the next change of a key with this prefix.

        With `match`, only a change of a value that matches wakes the reader.
        """
        groups = self._below if prefix.endswith("/") else self._others
        group = groups.get(prefix)
        if group is None:
            group = groups[prefix] = _Group()
        (group.any if match is None else group.waiters_for(match)).add(waiter)

    def remove(self, prefix: str, match: MatchValue[V] | None, waiter: Waiter) -> None:
        """Unregister a reader that was registered with the same arguments, so that changes do not wake it.

        Do nothing if it is not registered.
        """
        groups = self._below if prefix.endswith("/") else self._others
        group = groups.get(prefix)
        if group is not None and group.remove(match, waiter):
            del groups[prefix]

    def pop_affected(self, event: Event[V]) -> Sequence[Waiter]:
        """Return the Waiters that wake the readers which `event` concerns.

        All of them except CallbackWaiters are unregistered.
        """
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
        """Yield all Waiters, so that the caller can wake their readers.

        All of them except CallbackWaiters are unregistered.
        """
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
    """The Waiters of the readers of one key prefix, grouped by the condition with which the readers filter changes.

    A condition is an index and a value. For a change, each index is asked once for its value, which leads to the
    Waiters directly, so that not every condition has to be tested.
    """

    __slots__ = ("_matching", "any")

    def __init__(self) -> None:
        self.any = _Waiters()
        self._matching: dict[Index[V], dict[str, _Waiters]] = {}

    def is_empty(self) -> bool:
        return not (self.any or self._matching)

    def waiters_for(self, match: MatchValue[V]) -> _Waiters:
        return self._matching.setdefault(match.index, {}).setdefault(match.value, _Waiters())

    def remove(self, match: MatchValue[V] | None, waiter: Waiter) -> bool:
        """Unregister `waiter`, which was registered with the condition `match`. Return True if no Waiter is left."""
        if match is None:
            self.any.discard(waiter)
        else:
            self.waiters_for(match).discard(waiter)
            self._tidy(match.index, match.value)
        return self.is_empty()

    def take(self, event: Event[V], taken: list[Waiter]) -> None:
        self.any.take(taken)
        for index, values in list(self._matching.items()):
            changed_values = {index.of(event.value): None}
            if event.previous is not None:
                changed_values[index.of(event.previous)] = None
            for value in changed_values:
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
        """Delete the collection of Waiters for `index` and `value` if it is empty, so that it takes no memory."""
        values = self._matching[index]
        if not values[value]:
            del values[value]
        if not values:
            del self._matching[index]
