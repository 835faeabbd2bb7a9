"""The clocks of a server. All timestamps, grace periods and retry delays use the server's clock.

===========  =====================================================
RealClock    real time
SteppedClock changes only when `advance` is called
ScaledClock  runs faster or slower than real time
===========  =====================================================

Each clock has an `activity`, which counts the work in progress. A SteppedClock waits until no work is in progress
before it moves on.
"""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import Final, Protocol, TypeAlias

from memkube.apimachinery.time import Time
from memkube.time.activity import Activity

Callback: TypeAlias = Callable[[], None]
_scaled: Final = re.compile(r"x([0-9]+(?:\.[0-9]+)?)").fullmatch


class Timer(Protocol):
    """A callback that a clock will call at a time."""

    def cancel(self) -> None:
        """Cancel the callback. This has no effect if the callback has run already."""


class Clock(Protocol):
    """Interface of the clocks of a server: they return the current time, and call callbacks at given times."""

    @property
    def activity(self) -> Activity:
        """Counter of the work in progress in the server."""

    def now(self) -> datetime:
        """Return the current time in UTC."""

    def call_at(self, instant: datetime, callback: Callback) -> Timer:
        """Schedule `callback` for `instant`. It is called at that time or later, but never during this method."""

    async def sleep_until(self, instant: datetime) -> None:
        """Wait until the clock reaches `instant`."""


class _TimerClock(ABC):
    """Base class of clocks that implement :meth:`sleep_until` with timers."""

    def __init__(self) -> None:
        self.activity = Activity()

    @abstractmethod
    def call_at(self, instant: datetime, callback: Callback) -> Timer:
        """Schedule `callback` for `instant`. It is called at that time or later."""

    async def sleep_until(self, instant: datetime) -> None:
        woken = asyncio.get_running_loop().create_future()
        timer = self.call_at(instant, lambda: None if woken.done() else woken.set_result(None))
        try:
            await woken
        finally:
            timer.cancel()


class ScaledClock(_TimerClock):
    """A clock that runs `factor` times as fast as real time. It begins with the current time, unless it is set."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor
        self._start = self._shown = datetime.now(UTC)

    def now(self) -> datetime:
        return self._shown + (datetime.now(UTC) - self._start) * self.factor

    def set(self, instant: datetime) -> None:
        """Set the clock to any time, from which it continues. Timers are not rescheduled."""
        self._start, self._shown = datetime.now(UTC), instant

    def call_at(self, instant: datetime, callback: Callback) -> Timer:
        return _LoopTimer(self, self.factor, instant, callback)


class RealClock(_TimerClock):
    """The clock that returns real time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def call_at(self, instant: datetime, callback: Callback) -> Timer:
        return _LoopTimer(self, 1, instant, callback)


class SteppedClock(_TimerClock):
    """A clock that changes only in :meth:`advance` and :meth:`set`. It begins at `start`, or at the current second.

    A cancelled timer frees its callback at once. The timer itself is removed later, together with all other cancelled
    timers: when there are more than `most_cancelled` of them, and they outnumber the pending timers.
    """

    def __init__(self, start: datetime | None = None, most_cancelled: int = 1000) -> None:
        super().__init__()
        self._most_cancelled = most_cancelled
        self._cancelled = 0
        self._now = start or datetime.now(UTC).replace(microsecond=0)
        self._timers: list[tuple[datetime, int, _SteppedTimer]] = []
        self._count = 0
        self._advancing = asyncio.Lock()

    def now(self) -> datetime:
        return self._now

    def call_at(self, instant: datetime, callback: Callback) -> Timer:
        """Schedule `callback` for `instant`. If that time has passed already, the next `advance` calls it."""
        timer = _SteppedTimer(callback, self._forget)
        self._count += 1
        heappush(self._timers, (instant, self._count, timer))
        return timer

    async def advance(self, seconds: float, is_enough: Callable[[], Awaitable[bool]] | None = None) -> bool:
        """Advance the clock, and return after all work started by the timers that became due is done.

        Timers are called in order, each at its own time, and only after the work of the previous timers is done.
        `is_enough` is called at the beginning, after all timers of the same time, and at the end. When it returns True,
        the clock stops and `advance` returns True.
        """
        async with self._advancing:
            await self.activity.at_rest()
            goal = self._now + timedelta(seconds=seconds)
            if is_enough is not None and await is_enough():
                return True
            while True:
                upcoming = self.next_instant()
                if upcoming is not None and upcoming <= goal:
                    _, _, timer = heappop(self._timers)
                    self._now = max(self._now, upcoming)
                    timer.ring()
                    self.activity.woken()
                    await self.activity.at_rest()
                    upcoming = self.next_instant()
                    if upcoming is not None and upcoming <= self._now:
                        continue
                elif self._now < goal:
                    self._now = goal
                else:
                    return False
                if is_enough is not None and await is_enough():
                    return True

    def next_instant(self) -> datetime | None:
        """Return the time of the next timer; None if there is none."""
        while self._timers and self._timers[0][2].callback is None:
            heappop(self._timers)
            self._cancelled -= 1
        return self._timers[0][0] if self._timers else None

    @asynccontextmanager
    async def still(self) -> AsyncIterator[None]:
        """Keep the time unchanged during the ``with`` block. Waits for a running `advance` to finish first."""
        async with self._advancing:
            yield

    def set(self, instant: datetime) -> None:
        """Set the clock to any time, also an earlier one, without calling timers.

        Timers stay due at the time for which they were set. The next :meth:`advance` calls those that are now overdue.
        """
        self._now = instant

    @property
    def timers(self) -> int:
        """Number of timers, including cancelled ones that have not been removed yet."""
        return len(self._timers)

    def _forget(self) -> None:
        self._cancelled += 1
        if self._cancelled > max(self._most_cancelled, len(self._timers) // 2):
            self._timers = [entry for entry in self._timers if entry[2].callback is not None]
            heapify(self._timers)
            self._cancelled = 0


def clock_named(name: str, start: datetime | None = None) -> Clock:
    """Return a RealClock for ``real``, a SteppedClock for ``stepped``, or a ScaledClock for a factor such as ``x60``.

    `start` is the time at which a stepped or scaled clock starts, by default the current time. Raises ValueError for
    any other name, and for a start time of the real clock.
    """
    if name == "real":
        if start is not None:
            raise ValueError("the real clock has no start time: choose the clock stepped, or a faster one such as x60")
        return RealClock()
    if name == "stepped":
        return SteppedClock(start)
    factor = _scaled(name)
    if factor is None or not float(factor[1]):
        raise ValueError(f"unknown clock {name}: use real, stepped, or x and a number, such as x60")
    clock = ScaledClock(float(factor[1]))
    if start is not None:
        clock.set(start)
    return clock


def written_now(clock: Clock) -> Time:
    """Return the current time in the format of timestamps in objects, in whole seconds."""
    return _written(clock.now().replace(microsecond=0))


_written = lru_cache(maxsize=4)(Time.at)
"""Convert a time to a metav1.Time. Results are cached, because many writes happen in the same second."""


class _LoopTimer:
    """A timer of the event loop, which is rescheduled if the event loop calls it too early."""

    __slots__ = ("_callback", "_clock", "_factor", "_handle", "_instant", "_loop")

    def __init__(self, clock: Clock, factor: float, instant: datetime, callback: Callback) -> None:
        self._clock = clock
        self._factor = factor
        self._instant = instant
        self._callback = callback
        self._loop = asyncio.get_running_loop()
        self._set(max((instant - clock.now()).total_seconds(), 0))

    def cancel(self) -> None:
        self._handle.cancel()

    def _set(self, seconds: float) -> None:
        self._handle = self._loop.call_later(seconds / self._factor, self._ring)

    def _ring(self) -> None:
        left = (self._instant - self._clock.now()).total_seconds()
        if left > 0:
            self._set(left)
        else:
            self._callback()


class _SteppedTimer:
    __slots__ = ("_forget", "callback")

    def __init__(self, callback: Callback, forget: Callback) -> None:
        self.callback: Callback | None = callback
        self._forget = forget

    def ring(self) -> None:
        """Call the timer's callback, unless it has been called before."""
        callback, self.callback = self.callback, None
        if callback is not None:
            callback()

    def cancel(self) -> None:
        if self.callback is not None:
            self.callback = None
            self._forget()
