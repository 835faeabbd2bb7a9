"""Values that live for a limited time, in engines that keep time themselves."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final, Protocol

from memkube.storage.errors import KeyNotFound, StorageClosed, StorageError
from memkube.storage.interface import Event

_AT_ONCE: Final = 100
"""How many values are removed before others get their turn."""
_PAUSE: Final = timedelta(seconds=1)
"""So long after a failure it is tried again."""
_JUST_LESS_THAN_A_SECOND: Final = timedelta(microseconds=999_999)


class Work(Protocol):
    """Counts who is at work: see :class:`memkube.time.activity.Activity`."""

    def begin(self) -> None:
        """One more piece of work is there to be done."""

    def end(self) -> None:
        """A piece of work that began is done."""

    def woken(self) -> None:
        """Whoever has just been woken is at work until he has had his turn."""


class Timer(Protocol):
    """Something that is going to happen."""

    def cancel(self) -> None:
        """Keeps it from happening."""


class TimeSource(Protocol):
    """What values live by: see :class:`memkube.time.clock.Clock`."""

    @property
    def activity(self) -> Work:
        """Those at work in the server."""

    def now(self) -> datetime:
        """The present instant."""

    def call_at(self, instant: datetime, callback: Callable[[], None]) -> Timer:
        """Calls `callback` once `instant` has come."""


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """What lives for how long, counted from its last change."""

    clock: TimeSource
    by_prefix: Mapping[str, timedelta]
    """The lifetimes of values by what their keys begin with."""

    def of(self, key: str) -> timedelta | None:
        """How long the value under a key lives; None for good."""
        return next((time for prefix, time in self.by_prefix.items() if key.startswith(prefix)), None)


class _Renewed(Exception):
    """A value was written again before it could be removed."""


async def _leave(key: str, check: Callable[[Any], Awaitable[None]]) -> None:
    """Removes nothing."""


class Expiry:
    """Removes values when their time is up.

    Those that live equally long expire in the order in which they were written, so that one timer is enough; it
    counts in whole seconds, as the leases of the reference's storage do.
    """

    def __init__(
        self, lifetimes: Lifetimes, delete: Callable[[str, Callable[[Any], Awaitable[None]]], Awaitable[object]]
    ) -> None:
        """`delete` removes a value, if the check that it is given does not raise."""
        self._lifetimes = lifetimes
        self._clock = lifetimes.clock
        self._prefixes = tuple(lifetimes.by_prefix)
        self._delete = delete
        self._queues: dict[timedelta, OrderedDict[str, datetime]] = {
            time: OrderedDict() for time in lifetimes.by_prefix.values()
        }
        self._timer: Timer | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def ends(self) -> Mapping[str, datetime]:
        """When each value expires, by its key."""
        return {key: end for queue in self._queues.values() for key, end in queue.items()}

    def note(self, event: Event[Any]) -> None:
        """Has a life begin with a change, or end with it."""
        key = event.key
        if not key.startswith(self._prefixes):
            return
        if event.type == "deleted":
            self._forget(key)
        else:
            self._renew(key)

    def begin_anew(self, keys: Iterable[str]) -> None:
        """Gives everything a whole life, as etcd does when its leader changes."""
        for key in keys:
            if key.startswith(self._prefixes):
                self._renew(key)

    def restore(self, ends: Mapping[str, datetime]) -> None:
        """Has values expire when these say, those that are overdue at once."""
        for queue in self._queues.values():
            queue.clear()
        for key, end in sorted(ends.items(), key=lambda item: item[1]):
            if (time := self._lifetimes.of(key)) is not None:
                self._queues[time][key] = end
        self._set_timer()

    def stop(self) -> None:
        """Removes nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
            # Which would call this when it comes due.
            self._timer = None
        self._delete = _leave

    def _renew(self, key: str) -> None:
        time = self._lifetimes.of(key)
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
