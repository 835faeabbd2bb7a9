"""Long pieces of work that let others have the event loop in between."""

import asyncio
from time import perf_counter
from typing import Final

_SLICE_SECONDS: Final = 0.01


class Turns:
    """Counts how long one piece of work has held the event loop, and gives it away when that is enough.

    ::

        turns = Turns()
        for item in items:
            await turns.give()
            work(item)
    """

    def __init__(self) -> None:
        self._end = perf_counter() + _SLICE_SECONDS

    async def give(self) -> None:
        """Lets whoever waits for the event loop run, if this piece of work has held it for ten milliseconds."""
        if perf_counter() > self._end:
            await asyncio.sleep(0)
            self._end = perf_counter() + _SLICE_SECONDS
