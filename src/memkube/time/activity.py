"""Who is at work inside a server."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol
from weakref import WeakKeyDictionary


class Worker(Protocol):
    """Whoever has pieces of work that are done one after another."""

    def set_aside(self) -> None:
        """Ends all that it has begun, and begins no more."""

    def take_up(self) -> None:
        """Begins again what it has set aside, with what has come since."""


class Activity:
    """Counts work in progress. Whoever has work to do holds it for as long as that takes.

    ::

        with activity:
            await work()

    Belongs to one event loop. Waiting for time, or for changes that may never come, is no work.
    """

    def __init__(self) -> None:
        self._busy = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._workers: WeakKeyDictionary[asyncio.Task[Any], Worker] = WeakKeyDictionary()

    def begin(self) -> None:
        """One more piece of work is there to be done."""
        self._busy += 1

    def end(self) -> None:
        """A piece of work that began is done."""
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
        """Whoever works in this task is `worker`, as long as there is either."""
        task = asyncio.current_task()
        assert task is not None
        self._workers[task] = worker

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """Work that this task cannot go on with until time has passed is none meanwhile."""
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
        """Whoever has just been woken, by a future or by ``call_soon``, is at work until he has had his turn.

        In that turn he begins, if he has anything to do that counts.
        """
        self.begin()
        asyncio.get_running_loop().call_soon(self.end)

    async def at_rest(self) -> None:
        """Returns once nobody works, and nobody has been woken to work either."""
        self.woken()
        while self._busy:
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter
