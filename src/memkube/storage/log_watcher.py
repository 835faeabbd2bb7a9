"""A cursor into the changes of the recent past."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic

from memkube.storage.errors import StorageClosed
from memkube.storage.event_log import EventLog
from memkube.storage.interface import Event, MatchValue, V
from memkube.storage.wakers import Call, Wake, Waker


class LogWatcher(Generic[V]):
    """A cursor into the log: see :class:`memkube.storage.interface.Watcher`."""

    def __init__(
        self,
        log: EventLog[V],
        prefix: str,
        after: int,
        *,
        survives: bool = False,
        matching: MatchValue[V] | None = None,
    ) -> None:
        self._log = log
        self._prefix = prefix
        self._survives = survives
        self._matching = matching
        self._waker: Waker | None = None
        self.revision = after

    async def next(self, timeout: float | None = None) -> Sequence[Event[V]]:
        """See Watcher."""
        loop = asyncio.get_running_loop()
        deadline = None if timeout is None else loop.time() + timeout
        while True:
            events = self.read()
            if events:
                return events
            timed_out, seen = await self._sleep(deadline)
            if seen > self.revision:
                self.revision = seen
            if timed_out:
                return ()

    def read(self) -> Sequence[Event[V]]:
        """See Watcher."""
        log = self._log
        if self._survives and log.restarted_at:
            self.revision = log.survived(self.revision)
        while self.revision < log.revision:
            self.revision, events = log.after_under(self.revision, self._prefix)
            if events:
                return events
        if log.closed:
            raise StorageClosed
        return ()

    async def _sleep(self, deadline: float | None) -> Wake:
        """Until something is appended that may concern it, the loop's clock says `deadline`, or it is interrupted."""
        log, loop = self._log, asyncio.get_running_loop()
        self._sleep_no_more()
        waker: asyncio.Future[Wake] = loop.create_future()
        self._waker = waker
        log.wake_on(self._prefix, self._matching, waker)
        timer = None if deadline is None else loop.call_at(deadline, log.time_out, waker)
        try:
            return await waker
        finally:
            if timer is not None:
                timer.cancel()
            log.let_sleep(self._prefix, self._matching, waker)

    def call_when_ready(self, callback: Callable[[], None]) -> None:
        """See Watcher."""
        log, waker = self._log, self._waker
        if not isinstance(waker, Call):
            waker = self._waker = Call(self)
            log.wake_on(self._prefix, self._matching, waker)
        waker.callback = callback
        if self.revision < log.revision:
            log.wake_now(waker)

    def interrupt(self) -> None:
        """See Watcher."""
        if self._waker is not None:
            self._log.time_out(self._waker)
            self._sleep_no_more()

    def _sleep_no_more(self) -> None:
        waker, self._waker = self._waker, None
        if waker is not None:
            self._log.let_sleep(self._prefix, self._matching, waker)
