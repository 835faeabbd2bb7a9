"""Who is at work inside a server, so that a clock can wait until nobody is."""

import asyncio
from types import TracebackType

# A write wakes its watchers in the next round of the event loop; only then do they count as busy.
_QUIET_ROUNDS = 3


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

    async def at_rest(self) -> None:
        """Returns once nobody works, and nobody has been woken to work either."""
        quiet = 0
        while quiet < _QUIET_ROUNDS:
            if self._busy:
                quiet = 0
                waiter = asyncio.get_running_loop().create_future()
                self._waiting.append(waiter)
                await waiter
            await asyncio.sleep(0)
            quiet += 1
