"""Keys that wait to be dealt with, each once at a time (client-go ``util/workqueue``)."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from datetime import datetime, timedelta
from functools import partial
from time import monotonic
from typing import Final, Generic, TypeVar

from memkube.apimachinery.errors import ApiError
from memkube.telemetry.measures import QueueSeries
from memkube.time.clock import Clock, Timer

K = TypeVar("K", bound=Hashable)

_FIRST_DELAY: Final = 0.005
LONGEST_DELAY: Final = 1000.0
"""Seconds after which a key that has failed comes back at the latest."""
_LOGGER = logging.getLogger("memkube.controllers")


class TryAgain(Exception):
    """Ends an attempt that is to be repeated later, and is no failure."""


class WorkQueue(Generic[K]):
    """Calls `process` with one key after another.

    A key that is added again while it waits is dealt with once; one that is added while it is being dealt with is
    dealt with once more. When `process` raises, its key comes back after a delay that doubles every time.
    """

    def __init__(
        self,
        name: str,
        process: Callable[[K], Awaitable[None]],
        clock: Clock,
        *,
        longest_delay: float = LONGEST_DELAY,
        measured: QueueSeries | None = None,
    ) -> None:
        self.name = name
        self._process = process
        self._clock = clock
        self._longest_delay = longest_delay
        self._waiting: dict[K, float] = {}
        """Since when each waits, by ``time.monotonic``."""
        self._measured = measured or QueueSeries()
        self._measured.waiting = self._waiting
        self._ready: deque[K] = deque()
        self._current: K | None = None
        self._failures: dict[K, int] = {}
        self._timers: dict[K, tuple[datetime, Timer]] = {}
        self._wake: asyncio.Future[None] | None = None
        self._rest = asyncio.Event()
        self._is_aside = False

    def add(self, key: K) -> None:
        """Has a key dealt with as soon as possible."""
        if key in self._waiting:
            return
        self._waiting[key] = monotonic()
        self._measured.adds += 1
        if not self._is_aside:
            self._clock.activity.begin()
        if key != self._current:
            self._make_ready(key)

    def add_after(self, key: K, seconds: float) -> None:
        """Has a key dealt with after a while; of several such calls the earliest counts."""
        if seconds <= 0:
            self.add(key)
            return
        due = self._clock.now() + timedelta(seconds=seconds)
        if key in self._timers:
            earlier, timer = self._timers[key]
            if earlier <= due:
                return
            timer.cancel()
        self._timers[key] = due, self._clock.call_at(due, partial(self._come_due, key))

    def retry(self, key: K) -> None:
        """Has a key dealt with after a delay that doubles from one failure to the next."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        self._measured.retries += 1
        # Beyond this exponent every delay is the longest one, and floats come to an end.
        self.add_after(key, min(_FIRST_DELAY * 2 ** min(failures, 64), self._longest_delay))

    async def at_rest(self) -> None:
        """Returns once no key is dealt with, or will be as soon as possible."""
        if self._waiting or self._current is not None:
            self._rest.clear()
            await self._rest.wait()

    def has(self, key: K) -> bool:
        """Whether a key is dealt with, or will be as soon as possible."""
        return key in self._waiting or key == self._current

    def due(self, key: K) -> datetime | None:
        """When a key will be dealt with that waits for time."""
        return self._timers[key][0] if key in self._timers else None

    async def run(self) -> None:
        """Works until it is cancelled."""
        self._clock.activity.employ(self)
        while True:
            while not self._ready:
                self._wake = asyncio.get_running_loop().create_future()
                await self._wake
            await self._next()
            # Others get a turn: nothing in an attempt need ever have waited.
            await asyncio.sleep(0)

    def set_aside(self) -> None:
        """See Worker: the key at hand, and those that wait behind it."""
        self._is_aside = True
        for _ in range(len(self._waiting) + 1):
            self._clock.activity.end()

    def take_up(self) -> None:
        """See Worker."""
        self._is_aside = False
        for _ in range(len(self._waiting) + 1):
            self._clock.activity.begin()

    def close(self) -> None:
        """Forgets all keys, those that wait for time included. To be called once nobody works any more."""
        for _, timer in self._timers.values():
            timer.cancel()
        for _ in self._waiting:
            self._clock.activity.end()
        self._timers.clear()
        self._rest.set()
        self._waiting.clear()
        self._ready.clear()
        # Whoever works through this knows it: see Registry.close.
        del self._process

    async def _next(self) -> None:
        key = self._current = self._ready.popleft()
        measured, begun = self._measured, monotonic()
        measured.begun = begun
        measured.waited.observe(begun - self._waiting.pop(key))
        try:
            await self._attempt(key)
        finally:
            self._current = measured.begun = None
            measured.worked.observe(monotonic() - begun)
            if key in self._waiting:
                self._make_ready(key)
            if not self._waiting:
                self._rest.set()
            self._clock.activity.end()

    async def _attempt(self, key: K) -> None:
        try:
            await self._process(key)
        except TryAgain:
            self.retry(key)
        except ApiError as error:
            level = logging.DEBUG if error.reason in ("Conflict", "NotFound") else logging.WARNING
            _LOGGER.log(level, "%s: %s: %s", self.name, key, error)
            self.retry(key)
        except Exception:
            _LOGGER.exception("%s: %s", self.name, key)
            self.retry(key)
        else:
            self._failures.pop(key, None)

    def _make_ready(self, key: K) -> None:
        self._ready.append(key)
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def _come_due(self, key: K) -> None:
        del self._timers[key]
        self.add(key)
