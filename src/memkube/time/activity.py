"""Counts the work in progress inside a server.

A stepped clock, which moves only when a client advances it, waits until this work is done before it moves.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol
from weakref import WeakKeyDictionary


class Worker(Protocol):
    """A task that processes several pieces of work, for example the keys of a work queue."""

    def set_aside(self) -> None:
        """Remove the worker's unfinished work from the count, because the worker begins to wait for a timer.

        Otherwise, a stepped clock would wait for the worker, and the worker for the clock.
        """

    def take_up(self) -> None:
        """Add the worker's unfinished work to the count again, because the wait after :meth:`set_aside` is over.

        Work that the worker was given during the wait is added too.
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
        """Increase the number of pieces of work in progress by one."""
        self._busy += 1

    def end(self) -> None:
        """Decrease the number of pieces of work in progress by one; if none are left, wake :meth:`at_rest`."""
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
        """Record that the current asyncio task runs `worker`, for example a worker of a controller.

        While the task waits in a ``with`` block of :meth:`set_aside`, the work of this worker is not counted.
        """
        task = asyncio.current_task()
        assert task is not None
        self._workers[task] = worker

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """Exclude the current task's work from the count during the ``with`` block, in which it waits for a timer.

        Otherwise, a stepped clock would wait for the task, and the task for the clock. Has an effect only for tasks
        that run a worker (:meth:`employ`).
        """
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
        """Count one piece of work in progress until the event loop has run the tasks that are ready to run now.

        Call this after waking a task that may have work. If it has work, it must call :meth:`begin` when it runs.
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
