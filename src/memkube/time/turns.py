"""Long pieces of work that let others have the event loop in between.

Of all that are under way on a loop one has its slice between two looks at the sockets, however many there are: short
requests, health above all, never wait for more than that. Whose work it is decides who comes next: clients take
turns, and of one client's pieces those come first that have taken least (in powers of two, so that pieces of the same
length end one after another, and not all at the end).
"""

import asyncio
from heapq import heappop, heappush
from itertools import count
from time import perf_counter
from typing import Final
from weakref import WeakKeyDictionary

from memkube.time.request_context import REQUEST_CONTEXT

_SLICE_SECONDS: Final = 0.01
_FIRST_SLICE_SECONDS: Final = 0.001
"""That of new work while other work waits."""


class Turns:
    """Counts how long one piece of work has held the event loop, and gives it away when that is enough.

    ::

        turns = Turns()
        for item in items:
            await turns.give()
            work(item)
    """

    __slots__ = ("_end", "_line", "_place", "_slices")

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        line = _LINES.get(loop)
        if line is None:
            line = _LINES[loop] = _Line()
        self._line = line
        self._place = line.place()
        self._slices = 1
        self._end = perf_counter() + (_FIRST_SLICE_SECONDS if line.moves else _SLICE_SECONDS)

    async def give(self) -> None:
        """Lets whoever waits for the event loop run, if this piece of work has held it for ten milliseconds."""
        if perf_counter() > self._end:
            await self._line.turn(self._slices, self._place)
            self._slices += 1
            self._end = perf_counter() + _SLICE_SECONDS


class _Line:
    """Where the long pieces of work on one event loop wait for their next slice."""

    def __init__(self) -> None:
        self._flows: dict[object, list[tuple[int, int, asyncio.Future[None]]]] = {}
        self.place = count().__next__
        """A number for new work, in the order of its arrival."""
        self.moves = False
        """Whether anybody waits, or has just been called."""

    def turn(self, slices: int, place: int) -> asyncio.Future[None]:
        """Done when somebody who has had so many slices may have another one."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        context = REQUEST_CONTEXT.get()
        flow = None if context is None else context.flow
        heappush(self._flows.setdefault(flow, []), (slices.bit_length(), place, turn))
        if not self.moves:
            self.moves = True
            loop.call_soon(self._move)
        return turn

    def _move(self) -> None:
        """Calls the next one, which works before this is called again: in between, the loop looks at the sockets."""
        called = False
        while self._flows and not called:
            flow = next(iter(self._flows))
            waiting = self._flows.pop(flow)
            *_, turn = heappop(waiting)
            if waiting:
                self._flows[flow] = waiting
            if not turn.done():
                turn.set_result(None)
                called = True
        self.moves = called
        if called:
            asyncio.get_running_loop().call_soon(self._move)


_LINES: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, _Line]] = WeakKeyDictionary()
"""One for each event loop that has any: each server runs on its own."""
