"""The changes of the recent past, shared by every watcher."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Generic, NamedTuple

from memkube.storage.errors import RevisionCompacted, StorageClosed
from memkube.storage.interface import Event, V


class Wake(NamedTuple):
    """Why a sleeping reader woke."""

    timed_out: bool
    seen: int
    """Up to this revision, nothing that concerns the reader has happened since it fell asleep."""


class EventLog(Generic[V]):
    """A bounded log with one event for each revision.

    Readers hold a revision, not a queue: one that sleeps costs nothing, and one that the log has outrun gets
    RevisionCompacted.
    """

    def __init__(self, capacity: int) -> None:
        self._events: deque[Event[V]] = deque()
        self._capacity = capacity
        self._waiting: dict[str, set[asyncio.Future[Wake]]] = defaultdict(set)
        self.revision = 0
        self.compacted = 0
        """Changes up to this revision are forgotten."""
        self.closed = False

    def append(self, event: Event[V]) -> None:
        """Adds the event of the next revision and wakes the readers that it concerns."""
        self._events.append(event)
        self.revision = event.revision
        if len(self._events) > self._capacity:
            self.compacted = self._events.popleft().revision
        for prefix in [p for p in self._waiting if event.key.startswith(p)]:
            for waker in self._waiting.pop(prefix):
                _settle(waker, Wake(timed_out=False, seen=event.revision - 1))

    def compact(self, revision: int) -> None:
        """Forgets events up to and including `revision`; sleeping readers have missed none of them."""
        while self._events and self._events[0].revision <= revision:
            self._events.popleft()
        self.compacted = max(self.compacted, min(revision, self.revision))

    def after(self, revision: int) -> Sequence[Event[V]]:
        """Events later than `revision`, oldest first. Raises RevisionCompacted."""
        # From the end, which is near for readers that keep up: a deque is slow in the middle.
        events = list(self.newest_back_to(revision))
        events.reverse()
        return events

    def newest_back_to(self, revision: int) -> Iterator[Event[V]]:
        """Events later than `revision`, newest first. Raises RevisionCompacted."""
        self.check(revision)
        return islice(reversed(self._events), self.revision - revision)

    def close(self) -> None:
        """Wakes every reader for the last time."""
        self.closed = True
        for wakers in self._waiting.values():
            for waker in wakers:
                _settle(waker, Wake(timed_out=False, seen=self.revision))
        self._waiting.clear()

    def check(self, revision: int) -> None:
        """Raises RevisionCompacted where events later than `revision` are forgotten."""
        if revision < self.compacted:
            raise RevisionCompacted(revision, self.compacted + 1)

    async def wait(self, prefix: str, deadline: float | None, waker: asyncio.Future[Wake]) -> Wake:
        """Sleeps until `waker` is settled.

        That is when an event under `prefix` is appended, when the event loop's clock says `deadline`, or by
        `time_out`.
        """
        self._waiting[prefix].add(waker)
        timer = None if deadline is None else asyncio.get_running_loop().call_at(deadline, self.time_out, waker)
        try:
            return await waker
        finally:
            if timer is not None:
                timer.cancel()
            waiting = self._waiting.get(prefix)
            if waiting is not None:
                waiting.discard(waker)
                if not waiting:
                    del self._waiting[prefix]

    def time_out(self, waker: asyncio.Future[Wake]) -> None:
        """Wakes a reader although nothing has happened."""
        _settle(waker, Wake(timed_out=True, seen=self.revision))


class LogWatcher(Generic[V]):
    """A cursor into the log: see :class:`memkube.storage.interface.Watcher`."""

    def __init__(self, log: EventLog[V], prefix: str, after: int) -> None:
        self._log = log
        self._prefix = prefix
        self._waker: asyncio.Future[Wake] | None = None
        self.revision = after

    async def next(self, timeout: float | None = None) -> Sequence[Event[V]]:
        """See Watcher."""
        loop = asyncio.get_running_loop()
        deadline = None if timeout is None else loop.time() + timeout
        while True:
            if self.revision < self._log.revision:
                prefix = self._prefix
                events = [event for event in self._log.after(self.revision) if event.key.startswith(prefix)]
                self.revision = self._log.revision
                if events:
                    return events
            if self._log.closed:
                raise StorageClosed
            self._waker = loop.create_future()
            wake = await self._log.wait(self._prefix, deadline, self._waker)
            self.revision = max(self.revision, wake.seen)
            if wake.timed_out:
                return ()

    def interrupt(self) -> None:
        """See Watcher."""
        if self._waker is not None:
            self._log.time_out(self._waker)


def _settle(waker: asyncio.Future[Wake], wake: Wake) -> None:
    if not waker.done():
        waker.set_result(wake)
