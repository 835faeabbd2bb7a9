"""A rate-limited work queue of keys (client-go ``util/workqueue``)."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from time import monotonic
from typing import Final, Generic, TypeVar

from memkube.apimachinery.errors import ApiError
from memkube.telemetry.measures import QueueSeries
from memkube.time.clock import Clock, Timer

K = TypeVar("K", bound=Hashable)

_LOGGER = logging.getLogger("memkube.controllers")


@dataclass(frozen=True, slots=True)
class Retries:
    """Number of times that a work queue retries a failed key, and the delays before the retries."""

    first_delay: float = 0.005
    """Seconds before the first retry. The delay doubles with each further retry."""
    longest_delay: float = 1000.0
    """Maximum number of seconds before a retry."""
    most: int | None = None
    """Number of retries after which a work queue drops a failed key; None if it never drops one."""
    postpones_events: bool = False
    """True if events about a failed key are processed after `first_delay` or with the retry, whichever is earlier."""


USUAL_RETRIES: Final = Retries()


class TryAgain(Exception):
    """Raised by the function `process` of a work queue to retry the key later without logging an error."""


class WorkQueue(Generic[K]):
    """Calls the function `process` with one key after another.

    A key that is added twice before it is processed is processed once. A key that is added while it is being processed
    is processed once more. After an exception the key is retried according to `retries`.

    Before each key, the queue lets other tasks run for up to `max_yields` turns of the event loop. In this time they
    can change the same object again, and all these changes are processed at once.
    """

    def __init__(
        self,
        name: str,
        process: Callable[[K], Awaitable[None]],
        clock: Clock,
        *,
        retries: Retries = USUAL_RETRIES,
        max_yields: int = 0,
        measured: QueueSeries | None = None,
    ) -> None:
        self.name = name
        self._process = process
        self._clock = clock
        self._retries = retries
        self._max_yields = max_yields
        self._waiting: dict[K, float] = {}
        """Time at which each waiting key was added, by ``time.monotonic``."""
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
        """Add a key to the queue, to be processed as soon as possible."""
        if key in self._waiting:
            return
        self._waiting[key] = monotonic()
        self._measured.adds += 1
        if not self._is_aside:
            self._clock.activity.begin()
        if key != self._current:
            self._make_ready(key)

    def add_for_event(self, key: K) -> None:
        """Add a key to the queue because its object has changed.

        If the key has failed and the queue's `retries` postpone events, add it after the delay of the first retry.
        """
        if self._retries.postpones_events and key in self._failures:
            self.add_after(key, self._retries.first_delay)
        else:
            self.add(key)

    def add_after(self, key: K, seconds: float) -> None:
        """Add a key to the queue after a delay in seconds. If the key is already delayed, the earlier time counts."""
        if seconds <= 0:
            self.add(key)
            return
        due = self._clock.now() + timedelta(seconds=seconds)
        if key in self._timers:
            earlier, timer = self._timers[key]
            if earlier <= due:
                return
            timer.cancel()
        self._timers[key] = due, self._clock.call_at(due, partial(self._on_timer, key))

    def retry(self, key: K) -> None:
        """Add a failed key to the queue after a delay, which doubles with each retry. Drop it after the last retry."""
        failures, retries = self._failures.get(key, 0), self._retries
        if retries.most is not None and failures >= retries.most:
            self._failures.pop(key, None)
            _LOGGER.warning("%s: %s: dropped after %d retries", self.name, key, retries.most)
            return
        self._failures[key] = failures + 1
        if retries.postpones_events and self._waiting.pop(key, None) is not None:
            if not self._is_aside:
                self._clock.activity.end()
            self.add_after(key, retries.first_delay)
        self._measured.retries += 1
        # Limit the exponent to avoid an overflow. With this exponent, the delay has long reached its maximum.
        self.add_after(key, min(retries.first_delay * 2 ** min(failures, 64), retries.longest_delay))

    async def at_rest(self) -> None:
        """Wait until no key is in the queue or being processed. Keys added with a delay do not count until due."""
        if self._waiting or self._current is not None:
            self._rest.clear()
            await self._rest.wait()

    def has(self, key: K) -> bool:
        """Return True if this key is waiting in the queue or is being processed; delayed keys do not count."""
        return key in self._waiting or key == self._current

    def due(self, key: K) -> datetime | None:
        """Return the time at which a delayed key will be added to the queue, or None if the key is not delayed."""
        return self._timers[key][0] if key in self._timers else None

    async def run(self) -> None:
        """Process the keys of the queue until the task is cancelled."""
        self._clock.activity.employ(self)
        while True:
            while not self._ready:
                self._wake = asyncio.get_running_loop().create_future()
                await self._wake
            for _ in range(self._max_yields):
                # Each waiting key counts as one piece of work in the clock's activity. If there is no other work, no
                # task can change the objects of the keys, so waiting is useless.
                if self._clock.activity.count <= len(self._waiting):
                    break
                await asyncio.sleep(0)
            await self._next()
            # Let other tasks run here: `process` may complete without suspending.
            await asyncio.sleep(0)

    def set_aside(self) -> None:
        self._is_aside = True
        for _ in range(len(self._waiting) + 1):
            self._clock.activity.end()

    def take_up(self) -> None:
        self._is_aside = False
        for _ in range(len(self._waiting) + 1):
            self._clock.activity.begin()

    def close(self) -> None:
        """Remove all keys, including delayed ones. Call this after `run` has ended."""
        for _, timer in self._timers.values():
            timer.cancel()
        for _ in self._waiting:
            self._clock.activity.end()
        self._timers.clear()
        self._rest.set()
        self._waiting.clear()
        self._ready.clear()
        # Break the reference cycle between this queue and the controller whose method is `process`.
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

    def _on_timer(self, key: K) -> None:
        del self._timers[key]
        self.add(key)
