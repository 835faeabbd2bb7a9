"""Injected faults of one watch, which close it, delay its events, or withhold its bookmarks."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeAlias

from memkube.apimachinery.errors import expired
from memkube.faults.active import ActiveFault, Asker, ConnectionDropped, Faults
from memkube.faults.attributes import Stage
from memkube.registry.reads.watch_events import WATCH_EXPIRED, WatchClosed, WatchEvent
from memkube.time.clock import Clock

if TYPE_CHECKING:
    from memkube.faults.effects import CloseWatch

_Read: TypeAlias = Callable[[float | None], Awaitable[Sequence[WatchEvent]]]


@dataclass(slots=True)
class _Event:
    """A watch event that has been read from storage but not sent to the client yet."""

    event: WatchEvent
    held: list[tuple[ActiveFault, datetime | None]] = field(default_factory=list)
    """The faults that delay the event, each with the time until which it does; None if the delay has no end."""

    def holder(self, now: datetime) -> tuple[ActiveFault, datetime | None] | None:
        """Return a fault that still delays the event at the time `now`, and the end of the delay.

        The end is None if the delay lasts until the fault is removed. Returns None if no fault delays the event.
        """
        still = (one for one in self.held if not one[0].is_removed and (one[1] is None or one[1] > now))
        return next(still, None)


@dataclass(slots=True)
class _Closing:
    """An injected fault that will close the watch, at once or after some more events."""

    effect: "CloseWatch"
    events: int
    """Number of events that are still sent before the watch is closed."""


class WatchFaults:
    """Applies injected faults to the events of one watch."""

    def __init__(self, faults: Faults, asker: Asker, clock: Clock) -> None:
        self._faults = faults
        self._asker = asker
        self._asked = asker.asked()
        self._clock = clock
        self._considered: set[ActiveFault] = set()
        """The faults for which it has been decided whether they close this watch."""
        self._closings: list[_Closing] = []
        self._pending: deque[_Event] = deque()
        self._woken: asyncio.Future[None] | None = None

    async def next(self, read: _Read, timeout: float | None) -> Sequence[WatchEvent]:
        """Return the next events of the watch that no fault delays; possibly none.

        Waits up to `timeout` seconds of real time for such events. `read` takes this timeout, and returns the next
        events of the watch, without regard to faults. Raises WatchClosed, ConnectionDropped or ApiError 410 if a fault
        closes the watch.
        """
        self._close()
        if not self._pending:
            for event in await read(timeout):
                self._take(event)
        return await self._due(timeout)

    @property
    def revision_before_delayed(self) -> int | None:
        """Return the revision before the first delayed event; None if no event is delayed."""
        return int(self._pending[0].event.object.resource_version) - 1 if self._pending else None

    def interrupt(self) -> None:
        """Make :meth:`next` return, if it is waiting for a delayed event."""
        if self._woken is not None:
            _settle(self._woken)

    def withholds(self, bookmark: WatchEvent) -> bool:
        """Return True if a bookmark must not be sent.

        Either a fault withholds it, or an event of an earlier revision is still delayed.
        """
        return bool(self._pending) or self._is_withheld(bookmark, initial=False)

    def close(self, effect: "CloseWatch") -> bool:
        """Make the next call of :meth:`next` close the watch, as the effect `effect` of a fault says.

        Return False if that call would already close the watch because of another fault.
        """
        decided = any(closing.events <= 0 for closing in self._closings)
        self._closings.append(_Closing(effect, 0))
        return not decided

    def _close(self) -> None:
        """Raise the exception that closes the watch, if a fault closes it now."""
        for fault in self._faults.about(Stage.WATCH):
            if fault in self._considered:
                continue
            self._considered.add(fault)
            effect = fault.rule.effect
            assert effect.type == "closeWatch"
            if self._falls(fault):
                self._closings.append(_Closing(effect, effect.after_events))
        closing = next((closing for closing in self._closings if closing.events <= 0), None)
        if closing is None:
            return
        match closing.effect.how:
            case "cleanly":
                raise WatchClosed
            case "expired":
                raise expired(WATCH_EXPIRED)
            case "dropped":
                raise ConnectionDropped

    def _take(self, event: WatchEvent) -> None:
        if event.type == "BOOKMARK" and self._is_withheld(event, initial=True):
            return
        taken = _Event(event)
        for fault in self._faults.about(Stage.EVENT):
            effect = fault.rule.effect
            assert effect.type == "delayEvents"
            if event.type == "BOOKMARK" or (effect.types and event.type not in effect.types):
                continue
            if fnmatchcase(event.object.name, effect.objects) and self._falls(fault):
                seconds = effect.seconds
                until = None if seconds is None else self._clock.now() + timedelta(seconds=seconds)
                taken.held.append((fault, until))
        self._pending.append(taken)

    def _is_withheld(self, bookmark: WatchEvent, *, initial: bool) -> bool:
        for fault in self._faults.about(Stage.BOOKMARK):
            effect = fault.rule.effect
            assert effect.type == "withholdBookmarks"
            if (effect.initial or not initial) and self._falls(fault):
                return True
        return False

    def _falls(self, fault: ActiveFault) -> bool:
        falls = fault.falls_on(self._asked, self._clock.now())
        if falls:
            self._asker.was_hit(fault.name)
        return falls

    async def _due(self, timeout: float | None) -> Sequence[WatchEvent]:
        events: list[WatchEvent] = []
        while self._pending and all(closing.events > 0 for closing in self._closings):
            holder = self._pending[0].holder(self._clock.now())
            if holder is not None:
                if events or await self._interrupted(*holder, timeout):
                    break
                continue
            event = self._pending.popleft().event
            events.append(event)
            if event.type != "BOOKMARK":
                for closing in self._closings:
                    closing.events -= 1
        return events

    async def _interrupted(self, fault: ActiveFault, until: datetime | None, timeout: float | None) -> bool:
        """Wait for the end of the delay of an event: until the time `until` (None: never), or until `fault` is removed.

        Return True if the wait ended before that: after `timeout` seconds of real time, or by :meth:`interrupt`.
        """
        self._woken = asyncio.get_running_loop().create_future()
        gone = fault.removal()
        due: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        activity = self._clock.activity

        def on_timer() -> None:
            # The task that reads the watch continues only after several iterations of the event loop. A stepped clock
            # must not advance further before that. It waits while work is in progress, so count a piece of work here.
            activity.begin()
            _settle(due)

        timer = None if until is None else self._clock.call_at(until, on_timer)
        try:
            await asyncio.wait({self._woken, gone, due}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            return not (gone.done() or due.done())
        finally:
            if due.done():
                asyncio.get_running_loop().call_soon(activity.end)
            if timer is not None:
                timer.cancel()
            for future in (self._woken, gone, due):
                future.cancel()
            self._woken = None


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
