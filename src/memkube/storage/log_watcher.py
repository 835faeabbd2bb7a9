"""The watcher of storage keys that all storage engines use: it reads the event log from a revision on."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic

from memkube.storage.errors import StorageClosed
from memkube.storage.event_log import EventLog
from memkube.storage.interface import Event, MatchValue, V
from memkube.storage.waiting_readers import CallbackWaiter, Waiter, WakeReason


class LogWatcher(Generic[V]):
    """Reads the events after a revision from the event log: see :class:`memkube.storage.interface.Watcher`."""

    def __init__(
        self,
        log: EventLog[V],
        prefix: str,
        after: int,
        *,
        survives_restore: bool = False,
        matching: MatchValue[V] | None = None,
    ) -> None:
        self._log = log
        self._prefix = prefix
        self._survives_restore = survives_restore
        self._matching = matching
        self._waiter: Waiter | None = None
        self.revision = after

    async def next(self, timeout: float | None = None) -> Sequence[Event[V]]:
        loop = asyncio.get_running_loop()
        deadline = None if timeout is None else loop.time() + timeout
        while True:
            events = self.read()
            if events:
                return events
            timed_out, seen = await self._wait(deadline)
            if seen > self.revision:
                self.revision = seen
            if timed_out:
                return ()

    def read(self) -> Sequence[Event[V]]:
        log = self._log
        if self._survives_restore and log.restarted_at:
            self.revision = log.resume_revision(self.revision)
        while self.revision < log.revision:
            self.revision, events = log.after_under(self.revision, self._prefix)
            if events:
                return events
        if log.closed:
            raise StorageClosed
        return ()

    async def _wait(self, deadline: float | None) -> WakeReason:
        """Wait for an event that may concern the watcher, for :meth:`interrupt`, or until `deadline`.

        `deadline` is a time of the event loop's clock.
        """
        log, loop = self._log, asyncio.get_running_loop()
        self._stop_waiting()
        waiter: asyncio.Future[WakeReason] = loop.create_future()
        self._waiter = waiter
        log.add_waiter(self._prefix, self._matching, waiter)
        timer = None if deadline is None else loop.call_at(deadline, log.time_out, waiter)
        try:
            return await waiter
        finally:
            if timer is not None:
                timer.cancel()
            log.remove_waiter(self._prefix, self._matching, waiter)

    def call_when_ready(self, callback: Callable[[], None]) -> None:
        log, waiter = self._log, self._waiter
        if not isinstance(waiter, CallbackWaiter):
            waiter = self._waiter = CallbackWaiter(self)
            log.add_waiter(self._prefix, self._matching, waiter)
        waiter.callback = callback
        if self.revision < log.revision:
            log.wake_now(waiter)

    def interrupt(self) -> None:
        if self._waiter is not None:
            self._log.time_out(self._waiter)
            self._stop_waiting()

    def _stop_waiting(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None:
            self._log.remove_waiter(self._prefix, self._matching, waiter)
