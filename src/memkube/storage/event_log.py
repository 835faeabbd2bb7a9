"""The log of recent changes of values, from which all watchers read."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final, Generic

from memkube.storage.errors import RevisionCompacted
from memkube.storage.interface import Codec, Event, HistoryBounds, MatchValue, V
from memkube.storage.waiting_readers import CallbackWaiter, Waiter, WaitingReaders, WakeReason

_READ_AT_ONCE = 1_000
_READ_BYTES_AT_ONCE = 1024 * 1024
"""Maximum size in bytes of the events that one read returns. At least one event is returned."""
_RECENT_CHANGES = 1_000
_RECENT_BYTES = 8 * 1024 * 1024
"""Total size in bytes of the newest events, whose values keep their encoded form for watchers up to date."""

_NOTHING_FOUND: Final = (-1, -1, "", -1, ())


class EventLog(Generic[V]):
    """A bounded log of changes, sorted by revision. A revision may have no event.

    Several events have the same revision if etcd changed their keys at once, for example when a lease expired.

    A reader has no queue, only a revision. If the reader's next event is compacted, it gets RevisionCompacted. The size
    of an event includes the value that was written and the value that was replaced, because the event may be the last
    reference to both.
    """

    def __init__(
        self,
        codec: Codec[V],
        bounds: HistoryBounds,
        on_compacted: Callable[[Event[V]], None] | None = None,
        on_woken: Callable[[], None] | None = None,
    ) -> None:
        """Create an empty log, whose oldest events are compacted when it exceeds `bounds`.

        `codec` returns the sizes of values, and frees their caches. `on_compacted` is called with each event that is
        compacted, and `on_woken` when waiting readers are woken.
        """
        self._on_compacted = on_compacted
        self._on_woken = on_woken
        self._events: deque[Event[V]] = deque()
        self._codec = codec
        self._bounds = bounds
        self._size = 0
        self._recent: deque[Event[V]] = deque()
        self._read_last: tuple[int, int, Sequence[Event[V]]] = (-1, -1, ())
        self._found_last: tuple[int, int, str, int, Sequence[Event[V]]] = _NOTHING_FOUND
        self._recent_size = 0
        self._waiting: WaitingReaders[V] = WaitingReaders()
        self.revision = 0
        self.compacted = 0
        """Highest revision whose events are compacted."""
        self.restarted_at = 0
        self._restarted_behind = 0
        self.closed = False

    def append(self, event: Event[V]) -> None:
        """Append an event with the next revision, and wake the readers that wait for it."""
        weight = self._weight(event)
        self._events.append(event)
        self._recent.append(event)
        self._keep_bounds(event.revision, weight)
        self._wake(self._waiting.pop_affected(event), WakeReason(timed_out=False, seen=event.revision - 1))

    def extend(self, events: Sequence[Event[V]]) -> None:
        """Append events with the next revisions, and wake the readers that wait for them."""
        self._add(events)
        for event in events:
            if concerned := self._waiting.pop_affected(event):
                self._wake(concerned, WakeReason(timed_out=False, seen=event.revision - 1))

    def compact(self, revision: int) -> None:
        """Compact the events up to and including `revision`.

        Waiting readers are not affected, because they have already read these events.
        """
        while self._events and self._events[0].revision <= revision:
            self._drop_oldest()
        self.compacted = max(self.compacted, min(revision, self.revision))

    def after(self, revision: int) -> Sequence[Event[V]]:
        """Return the first events after `revision`, oldest first, up to a maximum number and size.

        Raises RevisionCompacted if the next event is compacted.
        """
        if self._read_last[:2] != (revision, self.revision):
            # The log is read backwards: most readers are near its end, and access to the middle of a deque is slow.
            events = list(self.newest_back_to(revision))
            events.reverse()
            # The result is cached, because all readers that the same event wakes read the same events.
            self._read_last = (revision, self.revision, self._readable_at_once(events))
        return self._read_last[2]

    def after_under(self, revision: int, prefix: str) -> tuple[int, Sequence[Event[V]]]:
        """Return a revision, and the events up to it that :meth:`after` returns and whose keys begin with `prefix`.

        The revision is that of the last event that `after` returns, or the newest revision if it returns none. The last
        result is cached, because all readers that one event wakes ask for the same events. Raises RevisionCompacted if
        the next event is compacted.
        """
        since, newest, under, last, found = self._found_last
        if since != revision or newest != self.revision or under != prefix:
            passed = self.after(revision)
            last = passed[-1].revision if passed else self.revision
            found = [event for event in passed if event.key.startswith(prefix)]
            self._found_last = (revision, self.revision, prefix, last, found)
        return last, found

    def newest_back_to(self, revision: int) -> Iterator[Event[V]]:
        """Return an iterator over the events after `revision`, newest first.

        Raises RevisionCompacted at once if one of these events is compacted.
        """
        self.check(revision)
        return takewhile(lambda event: event.revision > revision, reversed(self._events))

    def restart(self, revision: int, changes: Sequence[Event[V]] = ()) -> None:
        """Compact all events, and continue the log at `revision`, with `changes` as the next events.

        Called after a snapshot was restored; `changes` are the changes that the restore has made. All waiting readers
        are woken. If the watch of a reader has the option `survives_restore`, the reader continues with `changes`;
        otherwise it gets RevisionCompacted.
        """
        self.restarted_at, seen = revision, self.revision
        self._drop_all()
        self._restarted_behind = seen
        self.revision = self.compacted = revision
        self._add(changes)
        self._wake(self._waiting.pop_all(), WakeReason(timed_out=False, seen=seen))

    def lose_history(self, revision: int) -> None:
        """Continue the log at `revision`, although earlier changes are unknown. All readers get RevisionCompacted."""
        self._drop_all()
        self.revision = self.compacted = revision
        self._restarted_behind = -1
        self._wake(self._waiting.pop_all(), WakeReason(timed_out=False, seen=-1))

    def start_at(self, revision: int) -> None:
        """Set the current revision of a log that has no events yet."""
        self.revision = self.compacted = revision

    def advance_to(self, revision: int) -> None:
        """Record that no more events with revisions up to `revision` will be appended."""
        self.revision = max(self.revision, revision)

    def resume_revision(self, revision: int) -> int:
        """Return the revision after which a reader that has read all changes up to `revision` continues.

        A reader that had read all changes before the last restore continues after the revision of the restore, because
        no events lie between the two. For all other readers, the result is `revision`.
        """
        return max(revision, self.restarted_at) if revision == self._restarted_behind else revision

    def close(self) -> None:
        """Close the log, and wake every waiting reader."""
        self.closed = True
        self._clear_caches()
        self._wake(self._waiting.pop_all(), WakeReason(timed_out=False, seen=self.revision))

    def check(self, revision: int) -> None:
        """Raise RevisionCompacted if events after `revision` are compacted."""
        if revision < self.compacted:
            raise RevisionCompacted(revision, self.compacted + 1)

    def add_waiter(self, prefix: str, match: MatchValue[V] | None, waiter: Waiter) -> None:
        """Register `waiter`, to be woken when an event under `prefix` is appended or the log is closed.

        With `match`, an event wakes it only if the value before or after the change matches.
        """
        self._waiting.add(prefix, match, waiter)

    def remove_waiter(self, prefix: str, match: MatchValue[V] | None, waiter: Waiter) -> None:
        """Unregister a waiter, so that events do not wake it. The arguments are those of :meth:`add_waiter`."""
        self._waiting.remove(prefix, match, waiter)

    def time_out(self, waiter: Waiter) -> None:
        """Wake the reader of `waiter`, because its timeout has passed. This works even if the log is closed."""
        if not waiter.done():
            waiter.set_result(WakeReason(timed_out=True, seen=self.revision))
            if self._on_woken is not None:
                self._on_woken()

    def wake_now(self, waiter: Waiter) -> None:
        """Wake the reader of `waiter`, which still has events to read, without advancing the reader's revision."""
        self._wake((waiter,), WakeReason(timed_out=False, seen=-1))

    def _add(self, events: Sequence[Event[V]]) -> None:
        if events:
            self._events.extend(events)
            self._recent.extend(events)
            self._keep_bounds(events[-1].revision, sum(map(self._weight, events)))

    def _wake(self, waiters: Iterable[Waiter], wake: WakeReason) -> None:
        has_woken, callbacks = False, []
        for waiter in waiters:
            if type(waiter) is CallbackWaiter:
                if (callback := waiter.pop_callback(wake.seen)) is None:
                    continue
                callbacks.append(callback)
            elif not waiter.done():
                waiter.set_result(wake)
            has_woken = True
        if callbacks:
            asyncio.get_running_loop().call_soon(self._call, iter(callbacks))
        if has_woken and self._on_woken is not None:
            self._on_woken()

    def _call(self, callbacks: Iterator[Callable[[], None]]) -> None:
        """Call the callbacks of readers.

        If a callback raises an exception, the callbacks after it are called in the next iteration of the event loop.
        """
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
        """Return as many events from the beginning of `events` as a reader may get at once, by number and size.

        This limits memory: a reader keeps these events until it has handled them, even if the log compacts them
        meanwhile.
        """
        size = 0
        for count, event in enumerate(events[:-1], start=1):
            size += self._codec.size(event.value)
            is_enough = size >= _READ_BYTES_AT_ONCE or count >= _READ_AT_ONCE
            # Events with the same revision are returned together, because readers continue after a revision.
            if is_enough and events[count].revision != event.revision:
                return events[:count]
        return events

    def _clear_caches(self) -> None:
        """Discard the cached results of `after` and `after_under`."""
        self._read_last, self._found_last = (-1, -1, ()), _NOTHING_FOUND

    def _drop_all(self) -> None:
        self._events.clear()
        self._recent.clear()
        self._size = self._recent_size = 0
        self._clear_caches()

    def _drop_oldest(self) -> None:
        self._clear_caches()
        event = self._events.popleft()
        weight = self._weight(event)
        self._size -= weight
        self.compacted = event.revision
        if self._recent and self._recent[0] is event:
            self._recent.popleft()
            self._recent_size -= weight
        if self._on_compacted is not None:
            self._on_compacted(event)

    def _keep_bounds(self, revision: int, weight: int) -> None:
        """Compact the oldest events while the log exceeds its bounds.

        Called after events of `weight` bytes, up to `revision`, were appended.
        """
        self.revision = revision
        self._size += weight
        self._recent_size += weight
        while len(self._events) > self._bounds.changes or (self._size > self._bounds.size and len(self._events) > 1):
            self._drop_oldest()
        # Only readers that lag behind need the values of older events, so their cached encodings are freed.
        while len(self._recent) > _RECENT_CHANGES or self._recent_size > _RECENT_BYTES:
            event = self._recent.popleft()
            self._recent_size -= self._weight(event)
            if event.previous is not None:
                self._codec.release(event.previous)
            if event.type == "deleted":
                self._codec.release(event.value)
