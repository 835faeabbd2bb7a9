"""Time slices of long computations on an event loop, so that short requests are answered in between.

Of all long computations on a loop, one runs for a slice between two polls of the sockets. Clients take turns; among
the computations of one client, those that have used least time come first (in powers of two, so that computations of
equal length finish one after another instead of all at the end).
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
"""Seconds of the first slice of a computation while others wait."""


class Turns:
    """Measures how long one computation has held the event loop, and yields it after a slice.

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
        """Yield the event loop if the computation has held it for its slice."""
        if perf_counter() > self._end:
            await self._line.turn(self._slices, self._place)
            self._slices += 1
            self._end = perf_counter() + _SLICE_SECONDS


class _Line:
    """The queue of the computations that wait for their next slice on one event loop."""

    def __init__(self) -> None:
        self._flows: dict[object, list[tuple[int, int, asyncio.Future[None]]]] = {}
        self.place = count().__next__
        """Return a number for a new computation, in the order of arrival."""
        self.moves = False
        """True if a computation waits or was just called."""

    def turn(self, slices: int, place: int) -> asyncio.Future[None]:
        """Return a future that is done when the computation may run its next slice."""
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
        """Let the next computation run. Before the next call, the loop polls the sockets."""
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
"""The queue of each event loop. Each server has an event loop of its own."""
