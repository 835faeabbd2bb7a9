"""A stepped clock for programs that sleep: it advances once all programs sleep."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from memkube import AsyncMemkube, Memkube

_PATIENCE = 60
# The official client writes whole seconds as a MicroTime that no server accepts ("…T15:04:05+00:00"), so a fraction is
# added.
_FRACTION = 0.5


def read_on(kube: Memkube, lines: Iterable[str], seconds: float) -> list[str]:
    """Read the lines of a log, and advance the clock by `seconds` after each line."""
    read = []
    for line in lines:
        read.append(line)
        kube.clock.advance(seconds)
    return read


class _Over(BaseException):
    """Raised in a program's thread at the end of the test. Programs do not catch it."""


class ClusterTime:
    """Replaces the module ``time`` for programs that run in threads."""

    def __init__(self, kube: Memkube) -> None:
        self._kube = kube
        self._threads: list[threading.Thread] = []
        self._running = 0
        self._wakes: dict[int, float] = {}
        """When each thread that sleeps is to wake."""
        self._changed = threading.Condition()
        self._over = False

    def time(self) -> float:
        """Return seconds since 1970, by the cluster's clock."""
        return self._kube.clock.now().timestamp() + _FRACTION

    def sleep(self, seconds: float) -> None:
        """Wait until the cluster's clock has advanced by `seconds`. End the thread if the test is over."""
        with self._changed:
            wakes = self._wakes[threading.get_ident()] = self.time() + seconds
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._over or self.time() >= wakes)
            del self._wakes[threading.get_ident()]
        if self._over:
            raise _Over

    def run(self, program: Callable[[], object]) -> None:
        """Run a program in a thread until it ends or the test is over."""
        self._running += 1
        self._threads.append(threading.Thread(target=self._run, args=(program,)))
        self._threads[-1].start()

    def advance(self, seconds: int) -> None:
        """Advance the clock second by second. Before each second, wait until all programs sleep."""
        for _ in range(seconds):
            self.rest()
            self._kube.clock.advance(1)
            with self._changed:
                self._changed.notify_all()
        self.rest()

    def rest(self) -> None:
        """Wait until all programs that have not ended sleep."""
        with self._changed:
            asleep = self._changed.wait_for(self._all_sleep, _PATIENCE)
            assert asleep, f"{self._running} programs, of which {len(self._wakes)} sleep"

    @contextmanager
    def running(self) -> Iterator["ClusterTime"]:
        """End all programs at the end of the block."""
        try:
            yield self
        finally:
            with self._changed:
                self._over = True
                self._changed.notify_all()
            for thread in self._threads:
                thread.join(_PATIENCE)

    def _run(self, program: Callable[[], object]) -> None:
        try:
            with suppress(_Over):
                program()
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _all_sleep(self) -> bool:
        now = self.time()
        return sum(wakes > now for wakes in self._wakes.values()) == self._running


class AsyncClusterTime:
    """Replaces the modules ``time`` and ``asyncio`` for programs that are coroutines."""

    create_task = staticmethod(asyncio.create_task)

    def __init__(self, kube: AsyncMemkube) -> None:
        self._kube = kube
        self._tasks: list[asyncio.Task[object]] = []
        self._running = 0
        self._wakes: dict[asyncio.Future[None], float] = {}
        self._changed = asyncio.Condition()

    def time(self) -> float:
        """Return seconds since 1970, by the cluster's clock."""
        return self._kube.clock.now().timestamp() + _FRACTION

    async def sleep(self, seconds: float) -> None:
        """Wait until the cluster's clock has advanced by `seconds`."""
        woken = asyncio.get_running_loop().create_future()
        async with self._changed:
            self._wakes[woken] = self.time() + seconds
            self._changed.notify_all()
        try:
            await woken
        finally:
            self._wakes.pop(woken, None)

    def run(self, program: Callable[[], Awaitable[object]]) -> asyncio.Task[object]:
        """Run a program until it ends or `end` is called."""
        self._running += 1
        task: asyncio.Task[object] = asyncio.create_task(self._run(program))
        self._tasks.append(task)
        return task

    async def advance(self, seconds: int) -> None:
        """Advance the clock second by second. Before each second, wait until all programs sleep."""
        for _ in range(seconds):
            await self.rest()
            await self._kube.clock.advance(1)
            now = self.time()
            for woken in [future for future, wakes in self._wakes.items() if wakes <= now]:
                del self._wakes[woken]
                woken.set_result(None)
        await self.rest()

    async def rest(self) -> None:
        """Wait until all programs that have not ended sleep. Raise the exception with which a program ended."""
        async with asyncio.timeout(_PATIENCE), self._changed:
            await self._changed.wait_for(lambda: len(self._wakes) == self._running)
        for task in self._tasks:
            if task.done() and not task.cancelled():
                task.result()

    async def end(self) -> None:
        """Cancel all programs."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, program: Callable[[], Awaitable[object]]) -> None:
        try:
            await program()
        finally:
            async with self._changed:
                self._running -= 1
                self._changed.notify_all()
