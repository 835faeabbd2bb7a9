"""Counts the work in progress inside a server, so that a stepped clock can wait until it is done."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol
from weakref import WeakKeyDictionary


class Worker(Protocol):
    """A task that processes several pieces of work, for example the keys of a work queue."""

    def set_aside(self) -> None:
        """Stop counting the work that this worker has begun, while the worker waits for a timer."""

    def take_up(self) -> None:
        """Resume counting the worker's unfinished work, once the wait after :meth:`set_aside` is over.

        Work that was added during the wait counts too.
        """


class Activity:
    """Counts pieces of work in progress, so that a stepped clock can wait until there are none.

    ::

        with activity:
            await work()

    It belongs to one event loop. Waiting for a timer or for a watch event does not count as work.
    """

    def __init__(self) -> None:
        self._busy = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._workers: WeakKeyDictionary[asyncio.Task[Any], Worker] = WeakKeyDictionary()

    @property
    def count(self) -> int:
        """Number of requests, reconciliations and other pieces of work that the server has begun and not ended."""
        return self._busy

    def begin(self) -> None:
        """Count one more piece of work."""
        self._busy += 1

    def end(self) -> None:
        """Count one piece of work less."""
        self._busy -= 1
        if not self._busy:
            waiting, self._waiting = self._waiting, []
            for waiter in waiting:
                if not waiter.done():
                    waiter.set_result(None)

    def __enter__(self) -> None:
        self.begin()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.end()

    def employ(self, worker: "Worker") -> None:
        """Record that the current task runs `worker`, so that :meth:`set_aside` in this task finds the worker."""
        task = asyncio.current_task()
        assert task is not None
        self._workers[task] = worker

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """Do not count the current task's work during the ``with`` block, in which the task waits for a timer."""
        task = asyncio.current_task()
        worker = None if task is None else self._workers.get(task)
        if worker is None:
            yield
            return
        worker.set_aside()
        try:
            yield
        finally:
            worker.take_up()

    def woken(self) -> None:
        """Count one piece of work in progress on behalf of a task that was just woken, until the task has run once.

        If the task has more work when it runs, it must call :meth:`begin`.
        """
        self.begin()
        asyncio.get_running_loop().call_soon(self.end)

    async def at_rest(self) -> None:
        """Wait until no work is in progress and no task was woken to do work."""
        self.woken()
        while self._busy:
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter
