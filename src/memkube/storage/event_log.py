"""The changes of the recent past, shared by every watcher."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final, Generic

from memkube.storage.errors import RevisionCompacted
from memkube.storage.interface import Codec, Event, HistoryBounds, MatchValue, V
from memkube.storage.wakers import Call, Sleepers, Wake, Waker

_READ_AT_ONCE = 1_000
_READ_BYTES_AT_ONCE = 1024 * 1024
"""A reader that lags behind is given no more events at a time."""
_YOUNG_CHANGES = 1_000
_YOUNG_BYTES = 8 * 1024 * 1024
"""So much of the newest history is likely to be read by watchers that keep up."""

_NOTHING_FOUND: Final = (-1, -1, "", -1, ())


class EventLog(Generic[V]):
    """A bounded log with at most one event for each revision: those of changes elsewhere have none.

    Readers hold a revision, not a queue: one that sleeps costs nothing, and one that the log has outrun gets
    RevisionCompacted. An event weighs what it has written and what that replaced, as either may be kept by it alone.
    """

    def __init__(
        self,
        codec: Codec[V],
        bounds: HistoryBounds,
        forgotten: Callable[[Event[V]], None] | None = None,
        woken: Callable[[], None] | None = None,
    ) -> None:
        """`forgotten` is told of each event that is compacted; `woken` is called when readers have been woken."""
        self._forgotten = forgotten
        self._woken = woken
        self._events: deque[Event[V]] = deque()
        self._codec = codec
        self._bounds = bounds
        self._size = 0
        self._young: deque[Event[V]] = deque()
        self._read_last: tuple[int, int, Sequence[Event[V]]] = (-1, -1, ())
        self._found_last: tuple[int, int, str, int, Sequence[Event[V]]] = _NOTHING_FOUND
        self._young_size = 0
        self._sleepers: Sleepers[V] = Sleepers()
        self.revision = 0
        self.compacted = 0
        """Changes up to this revision are forgotten."""
        self.restarted_at = 0
        self._restarted_behind = 0
        self.closed = False

    def append(self, event: Event[V]) -> None:
        """Adds the event of the next revision and wakes the readers that it concerns."""
        weight = self._weight(event)
        self._events.append(event)
        self._young.append(event)
        self._keep_bounds(event.revision, weight)
        self._wake(self._sleepers.take_concerned(event), Wake(timed_out=False, seen=event.revision - 1))

    def extend(self, events: Sequence[Event[V]]) -> None:
        """Appends the events of the next revisions."""
        self._add(events)
        for event in events:
            if concerned := self._sleepers.take_concerned(event):
                self._wake(concerned, Wake(timed_out=False, seen=event.revision - 1))

    def compact(self, revision: int) -> None:
        """Forgets events up to and including `revision`; sleeping readers have missed none of them."""
        while self._events and self._events[0].revision <= revision:
            self._drop_oldest()
        self.compacted = max(self.compacted, min(revision, self.revision))

    def after(self, revision: int) -> Sequence[Event[V]]:
        """The oldest events later than `revision`, oldest first, not too many. Raises RevisionCompacted."""
        if self._read_last[:2] != (revision, self.revision):
            # From the end, which is near for readers that keep up: a deque is slow in the middle.
            events = list(self.newest_back_to(revision))
            events.reverse()
            # Those who were woken together ask for the same.
            self._read_last = (revision, self.revision, self._readable_at_once(events))
        return self._read_last[2]

    def after_under(self, revision: int, prefix: str) -> tuple[int, Sequence[Event[V]]]:
        """Those of `after` under a prefix, behind the revision up to which they were looked for; there may be none.

        Those who were woken together share them. Raises RevisionCompacted.
        """
        since, newest, under, last, found = self._found_last
        if since != revision or newest != self.revision or under != prefix:
            passed = self.after(revision)
            last = passed[-1].revision if passed else self.revision
            found = [event for event in passed if event.key.startswith(prefix)]
            self._found_last = (revision, self.revision, prefix, last, found)
        return last, found

    def newest_back_to(self, revision: int) -> Iterator[Event[V]]:
        """Events later than `revision`, newest first. Raises RevisionCompacted."""
        self.check(revision)
        return takewhile(lambda event: event.revision > revision, reversed(self._events))

    def restart(self, revision: int, changes: Sequence[Event[V]] = ()) -> None:
        """Forgets everything, and goes on behind `revision`, with the events of the next revisions.

        Readers that sleep have seen all there was: those that survive go on from there, others wake to find that their
        history is gone.
        """
        self.restarted_at, seen = revision, self.revision
        self._drop_all()
        self._restarted_behind = seen
        self.revision = self.compacted = revision
        self._add(changes)
        self._wake(self._sleepers.take_all(), Wake(timed_out=False, seen=seen))

    def lose(self, revision: int) -> None:
        """Goes on behind `revision`; what led there is not known, and every reader is told so."""
        self._drop_all()
        self.revision = self.compacted = revision
        self._restarted_behind = -1
        self._wake(self._sleepers.take_all(), Wake(timed_out=False, seen=-1))

    def begin_at(self, revision: int) -> None:
        """Goes on behind a revision, when nothing has been appended yet."""
        self.revision = self.compacted = revision

    def pass_to(self, revision: int) -> None:
        """Nothing that this log is about has happened up to a revision."""
        self.revision = max(self.revision, revision)

    def survived(self, revision: int) -> int:
        """Where a reader that survives goes on, who has come to `revision`."""
        return max(revision, self.restarted_at) if revision == self._restarted_behind else revision

    def close(self) -> None:
        """Wakes every reader for the last time."""
        self.closed = True
        self._let_go()
        self._wake(self._sleepers.take_all(), Wake(timed_out=False, seen=self.revision))

    def check(self, revision: int) -> None:
        """Raises RevisionCompacted where events later than `revision` are forgotten."""
        if revision < self.compacted:
            raise RevisionCompacted(revision, self.compacted + 1)

    def wake_on(self, prefix: str, match: MatchValue[V] | None, waker: Waker) -> None:
        """Settles `waker` when an event under `prefix` is appended, or the log is closed.

        With `match`, events of values that do not hold it, before and after, do not settle it.
        """
        self._sleepers.add(prefix, match, waker)

    def let_sleep(self, prefix: str, match: MatchValue[V] | None, waker: Waker) -> None:
        """Settles `waker` no more."""
        self._sleepers.remove(prefix, match, waker)

    def time_out(self, waker: Waker) -> None:
        """Wakes a reader although nothing has happened, and after the end as well."""
        if not waker.done():
            waker.set_result(Wake(timed_out=True, seen=self.revision))
            if self._woken is not None:
                self._woken()

    def wake_now(self, waker: Waker) -> None:
        """Wakes a reader that lags behind, and is not taken past anything."""
        self._wake((waker,), Wake(timed_out=False, seen=-1))

    def _add(self, events: Sequence[Event[V]]) -> None:
        if events:
            self._events.extend(events)
            self._young.extend(events)
            self._keep_bounds(events[-1].revision, sum(map(self._weight, events)))

    def _wake(self, wakers: Iterable[Waker], wake: Wake) -> None:
        has_woken, calls = False, []
        for waker in wakers:
            if type(waker) is Call:
                if (callback := waker.taken(wake.seen)) is None:
                    continue
                calls.append(callback)
            elif not waker.done():
                waker.set_result(wake)
            has_woken = True
        if calls:
            asyncio.get_running_loop().call_soon(self._call, iter(calls))
        if has_woken and self._woken is not None:
            self._woken()

    def _call(self, callbacks: Iterator[Callable[[], None]]) -> None:
        """Calls readers, all at once; one that fails keeps none of the others from being called."""
        try:
            for callback in callbacks:
                if self.closed:
                    return
                callback()
        except BaseException:
            asyncio.get_running_loop().call_soon(self._call, callbacks)
            raise

    def _weight(self, event: Event[V]) -> int:
        size = self._codec.size
        return size(event.value) + (0 if event.previous is None else size(event.previous))

    def _readable_at_once(self, events: Sequence[Event[V]]) -> Sequence[Event[V]]:
        """The first of them, so few that a reader who takes its time holds little of what is compacted meanwhile."""
        size = 0
        for count, event in enumerate(events[:-1], start=1):
            size += self._codec.size(event.value)
            is_enough = size >= _READ_BYTES_AT_ONCE or count >= _READ_AT_ONCE
            # Changes of one revision are read together: whoever has come to it has seen them all.
            if is_enough and events[count].revision != event.revision:
                return events[:count]
        return events

    def _let_go(self) -> None:
        """Keeps nothing for those who were woken together."""
        self._read_last, self._found_last = (-1, -1, ()), _NOTHING_FOUND

    def _drop_all(self) -> None:
        self._events.clear()
        self._young.clear()
        self._size = self._young_size = 0
        self._let_go()

    def _drop_oldest(self) -> None:
        self._let_go()
        event = self._events.popleft()
        weight = self._weight(event)
        self._size -= weight
        self.compacted = event.revision
        if self._young and self._young[0] is event:
            self._young.popleft()
            self._young_size -= weight
        if self._forgotten is not None:
            self._forgotten(event)

    def _keep_bounds(self, revision: int, weight: int) -> None:
        """Forgets what is too old, when so much has been added up to `revision`."""
        self.revision = revision
        self._size += weight
        self._young_size += weight
        while len(self._events) > self._bounds.changes or (self._size > self._bounds.size and len(self._events) > 1):
            self._drop_oldest()
        # Values rest that only latecomers will ask for.
        while len(self._young) > _YOUNG_CHANGES or self._young_size > _YOUNG_BYTES:
            event = self._young.popleft()
            self._young_size -= self._weight(event)
            if event.previous is not None:
                self._codec.release(event.previous)
            if event.type == "deleted":
                self._codec.release(event.value)
