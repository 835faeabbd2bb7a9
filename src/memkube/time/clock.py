"""Time: what objects are stamped with, and what grace periods and retries wait for. One clock serves a server.

===========  =====================================================
RealClock    the clock on the wall
SteppedClock stands still until it is told to advance
ScaledClock  runs faster or slower than the clock on the wall
===========  =====================================================

Who is at work inside a server is counted (`activity`), so that a clock can wait until nobody is.
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
    """Something that is going to happen."""

    def cancel(self) -> None:
        """Keeps it from happening; harmless when it has happened."""


class Clock(Protocol):
    """Tells the time, and wakes whoever waits for it."""

    @property
    def activity(self) -> Activity:
        """Those at work in the server that this clock serves."""

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""

    def call_at(self, instant: datetime, callback: Callback) -> Timer:
        """Calls `callback` once `instant` has come, never before, and never from inside this call."""

    async def sleep_until(self, instant: datetime) -> None:
        """Returns once `instant` has come."""


class _TimerClock(ABC):
    """Sleeping, for every clock that has timers."""

    def __init__(self) -> None:
        self.activity = Activity()

    @abstractmethod
    def call_at(self, instant: datetime, callback: Callback) -> Timer:
        """See Clock."""

    async def sleep_until(self, instant: datetime) -> None:
        """See Clock."""
        woken = asyncio.get_running_loop().create_future()
        timer = self.call_at(instant, lambda: None if woken.done() else woken.set_result(None))
        try:
            await woken
        finally:
            timer.cancel()


class ScaledClock(_TimerClock):
    """Begins at the present and runs `factor` times as fast as the clock on the wall."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor
        self._start = self._shown = datetime.now(UTC)

    def now(self) -> datetime:
        """See Clock."""
        return self._shown + (datetime.now(UTC) - self._start) * self.factor

    def set(self, instant: datetime) -> None:
        """Shows another instant now, be it earlier, and runs on from there; timers keep theirs."""
        self._start, self._shown = datetime.now(UTC), instant

    def call_at(self, instant: datetime, callback: Callback) -> Timer:
        """See Clock."""
        return _LoopTimer(self, self.factor, instant, callback)


class RealClock(_TimerClock):
    """The clock on the wall."""

    def now(self) -> datetime:
        """See Clock."""
        return datetime.now(UTC)

    def call_at(self, instant: datetime, callback: Callback) -> Timer:
        """See Clock."""
        return _LoopTimer(self, 1, instant, callback)


class SteppedClock(_TimerClock):
    """Stands still until :meth:`advance`. Begins at `start`, or at the present in whole seconds.

    Cancelled timers let go of their callbacks at once, and are forgotten themselves when they are more than
    `most_cancelled`, and more than those that are still to go off.
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
        """See Clock."""
        return self._now

    def call_at(self, instant: datetime, callback: Callback) -> Timer:
        """See Clock; what is due already happens with the next advance."""
        timer = _SteppedTimer(callback, self._forget)
        self._count += 1
        heappush(self._timers, (instant, self._count, timer))
        return timer

    async def advance(self, seconds: float, is_enough: Callable[[], Awaitable[bool]] | None = None) -> bool:
        """Moves time on, and returns when everything that fell due on the way has been dealt with.

        Timers go off one after another in their order, each at its own instant, and only when all that the one
        before set off is done. `is_enough` is asked before, when all timers of an instant have gone off, and at the
        end: time stands still where it first says so, and that is what is returned.
        """
        async with self._advancing:
            await self.activity.at_rest()
            goal = self._now + timedelta(seconds=seconds)
            if is_enough is not None and await is_enough():
                return True
            while True:
                upcoming = self._next_instant()
                if upcoming is not None and upcoming <= goal:
                    _, _, timer = heappop(self._timers)
                    self._now = max(self._now, upcoming)
                    timer.ring()
                    self.activity.woken()
                    await self.activity.at_rest()
                    upcoming = self._next_instant()
                    if upcoming is not None and upcoming <= self._now:
                        continue
                elif self._now < goal:
                    self._now = goal
                else:
                    return False
                if is_enough is not None and await is_enough():
                    return True

    def _next_instant(self) -> datetime | None:
        """When the next timer goes off."""
        while self._timers and self._timers[0][2].callback is None:
            heappop(self._timers)
            self._cancelled -= 1
        return self._timers[0][0] if self._timers else None

    @asynccontextmanager
    async def still(self) -> AsyncIterator[None]:
        """Nobody moves the clock for as long as the block runs; whoever is at it comes to his end first."""
        async with self._advancing:
            yield

    def set(self, instant: datetime) -> None:
        """Shows another instant from now on, be it earlier; timers keep theirs, and nothing goes off."""
        self._now = instant

    @property
    def timers(self) -> int:
        """How many timers it holds, cancelled ones that are not forgotten yet included."""
        return len(self._timers)

    def _forget(self) -> None:
        self._cancelled += 1
        if self._cancelled > max(self._most_cancelled, len(self._timers) // 2):
            self._timers = [entry for entry in self._timers if entry[2].callback is not None]
            heapify(self._timers)
            self._cancelled = 0


def clock_named(name: str) -> Clock:
    """``real``, ``stepped``, or ``x60`` for one that runs sixty times as fast. Raises ValueError."""
    if name == "real":
        return RealClock()
    if name == "stepped":
        return SteppedClock()
    factor = _scaled(name)
    if factor is None or not float(factor[1]):
        raise ValueError(f"no clock is called {name}: real, stepped, or x with a number such as x60")
    return ScaledClock(float(factor[1]))


def written_now(clock: Clock) -> Time:
    """The present instant as objects carry it, in whole seconds."""
    return _written(clock.now().replace(microsecond=0))


_written = lru_cache(maxsize=4)(Time.at)
"""Many writes are made in the same second."""


class _LoopTimer:
    """A timer of the event loop, which may be early by its own resolution; then it is set again."""

    __slots__ = ("_callback", "_clock", "_factor", "_handle", "_instant", "_loop")

    def __init__(self, clock: Clock, factor: float, instant: datetime, callback: Callback) -> None:
        self._clock = clock
        self._factor = factor
        self._instant = instant
        self._callback = callback
        self._loop = asyncio.get_running_loop()
        self._set(max((instant - clock.now()).total_seconds(), 0))

    def cancel(self) -> None:
        """See Timer."""
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
        """Goes off, once."""
        callback, self.callback = self.callback, None
        if callback is not None:
            callback()

    def cancel(self) -> None:
        """See Timer."""
        if self.callback is not None:
            self.callback = None
            self._forget()
