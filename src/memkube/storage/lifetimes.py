"""Deletes expired values by a timer, for storage engines that cannot expire values themselves."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol

from memkube.storage.errors import KeyNotFound, StorageClosed, StorageError
from memkube.storage.interface import Event

_AT_ONCE: Final = 100
"""Number of values that are deleted at a time, before other tasks of the event loop can run."""
_PAUSE: Final = timedelta(seconds=1)
"""Time after which the deletion of an expired value is retried if it failed."""
_JUST_LESS_THAN_A_SECOND: Final = timedelta(microseconds=999_999)


class Work(Protocol):
    """Counts operations in progress (:class:`memkube.time.activity.Activity`).

    A clock that moves only when a client advances it waits for these operations before it moves.
    """

    def begin(self) -> None:
        """Increase the number of operations in progress by one."""

    def end(self) -> None:
        """Decrease the number of operations in progress by one."""

    def woken(self) -> None:
        """Increase the number of operations in progress by one, until tasks that the caller has just woken have run."""


class Timer(Protocol):
    """A callback that a clock calls at a certain time, unless it is cancelled before."""

    def cancel(self) -> None:
        """Cancel the callback. If it has already been called, do nothing."""


class TimeSource(Protocol):
    """The clock by which values expire, for example :class:`memkube.time.clock.Clock`."""

    @property
    def activity(self) -> Work:
        """Counter of the operations in progress. A stepped clock moves only while it is zero."""

    def now(self) -> datetime:
        """Return the current time in UTC."""

    def call_at(self, instant: datetime, callback: Callable[[], None]) -> Timer:
        """Call `callback` when the clock reaches `instant`."""


class Lifetimes(NamedTuple):
    """Lifetimes of values, by key prefix. A value is deleted when its lifetime since its last change has passed."""

    clock: TimeSource
    by_prefix: Mapping[str, timedelta]
    """Lifetime of the values whose key has a prefix, by prefix."""

    def for_key(self, key: str) -> timedelta | None:
        """Return the lifetime of a key's value; None if the value does not expire."""
        return next((time for prefix, time in self.by_prefix.items() if key.startswith(prefix)), None)


class _Renewed(Exception):
    """Raised to cancel the deletion of a value whose lifetime was renewed by a change in the meantime."""


async def _do_nothing(key: str, check: Callable[[Any], Awaitable[None]]) -> None:
    """Do nothing. Once the storage is stopped, Expiry calls this instead of the function that deletes a value."""


class Expiry:
    """Deletes values when they expire.

    One timer is enough, because values with the same lifetime expire in the order of their last changes. Like etcd's
    leases, it has a resolution of one second.
    """

    def __init__(
        self, lifetimes: Lifetimes, delete: Callable[[str, Callable[[Any], Awaitable[None]]], Awaitable[object]]
    ) -> None:
        """Prepare to delete values at the end of their lifetimes; `lifetimes` has the lifetimes by key prefix.

        `delete` is called with a key and a function (the check), and must delete the value of the key. Before that, it
        calls the check with this value. If the value was changed meanwhile and has not expired yet, the check raises an
        exception, and `delete` must not delete it.
        """
        self._lifetimes = lifetimes
        self._clock = lifetimes.clock
        self.prefixes = tuple(lifetimes.by_prefix)
        """The prefixes of the keys whose values expire."""
        self._delete = delete
        self._queues: dict[timedelta, OrderedDict[str, datetime]] = {
            time: OrderedDict() for time in lifetimes.by_prefix.values()
        }
        self._timer: Timer | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def ends(self) -> Mapping[str, datetime]:
        """Expiration time of each value that will expire, by key."""
        return {key: end for queue in self._queues.values() for key, end in queue.items()}

    def note(self, event: Event[Any]) -> None:
        """Start or renew the lifetime of a written value, or end that of a deleted value.

        The key of `event` must begin with one of :attr:`prefixes`, for which lifetimes are declared.
        """
        if event.type == "deleted":
            self._forget(event.key)
        else:
            self._renew(event.key)

    def begin_anew(self, keys: Iterable[str]) -> None:
        """Restart the lifetimes of the values of `keys`, as etcd does when its leader changes."""
        for key in keys:
            if key.startswith(self.prefixes):
                self._renew(key)

    def restore(self, ends: Mapping[str, datetime]) -> None:
        """Replace all expiration times by `ends`, which maps keys to times.

        Values that have expired already are deleted when the clock next calls its timers.
        """
        for queue in self._queues.values():
            queue.clear()
        for key, end in sorted(ends.items(), key=lambda item: item[1]):
            if (time := self._lifetimes.for_key(key)) is not None:
                self._queues[time][key] = end
        self._set_timer()

    def stop(self) -> None:
        """Stop deleting expired values."""
        if self._timer is not None:
            self._timer.cancel()
            # The callback of the timer refers to this object, so the timer is dropped to break the reference cycle.
            self._timer = None
        self._delete = _do_nothing

    def _renew(self, key: str) -> None:
        time = self._lifetimes.for_key(key)
        assert time is not None
        queue = self._queues[time]
        queue[key] = (self._clock.now() + time + _JUST_LESS_THAN_A_SECOND).replace(microsecond=0)
        queue.move_to_end(key)
        if self._timer is None:
            self._set_timer()

    def _set_timer(self) -> None:
        first = min((next(iter(queue.values())) for queue in self._queues.values() if queue), default=None)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if first is None else self._clock.call_at(first, self._begin)

    def _begin(self) -> None:
        self._clock.activity.begin()
        self._task = asyncio.get_running_loop().create_task(self._expire())

    async def _expire(self) -> None:
        try:
            while due := list(islice(self._due(), _AT_ONCE)):
                for key in due:
                    await self._remove(key)
                await asyncio.sleep(0)
            self._set_timer()
        except StorageClosed:
            return
        except StorageError:
            self._timer = self._clock.call_at(self._clock.now() + _PAUSE, self._begin)
        finally:
            self._clock.activity.end()

    def _due(self) -> Iterator[str]:
        now = self._clock.now()
        for queue in self._queues.values():
            for key, end in queue.items():
                if end > now:
                    break
                yield key

    def _forget(self, key: str) -> None:
        for queue in self._queues.values():
            queue.pop(key, None)

    async def _remove(self, key: str) -> None:
        async def check(_: Any) -> None:
            if not any(key in queue and queue[key] <= self._clock.now() for queue in self._queues.values()):
                raise _Renewed

        try:
            await self._delete(key, check)
        except KeyNotFound:
            self._forget(key)
        except _Renewed:
            return
