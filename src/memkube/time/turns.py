"""Time slices for long computations on an event loop, so that short requests are answered in between.

Between two polls of the sockets, one computation runs for one slice. Clients take turns. Of several computations of one
client, the one that has used the least time runs next. Times are rounded to powers of two, so that computations of
equal length finish one after another instead of all at the end.
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
"""Duration in seconds of a computation's first slice while other computations wait."""


class Turns:
    """Measures how long one computation has used the event loop, and yields to others after each slice.

    ::

        turns = Turns()
        for item in items:
            await turns.give()
            work(item)
    """

    __slots__ = ("_arrival", "_end", "_line", "_slices")

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self._line = line = _line_of(loop)
        self._arrival = line.next_arrival()
        self._slices = 1
        self._end = perf_counter() + (_FIRST_SLICE_SECONDS if line.moves else _SLICE_SECONDS)

    async def give(self) -> None:
        """If this computation has used up its time slice, let others run, and return when its next slice begins.

        Returns at once if there is time left in the slice, or if the event loop does not divide time into slices.
        """
        if self._line.undivided:
            return
        if perf_counter() > self._end:
            await self._line.turn(self._slices, self._arrival)
            self._slices += 1
            self._end = perf_counter() + _SLICE_SECONDS


class _Line:
    """Queue of the computations that wait for their next time slice on one event loop."""

    def __init__(self) -> None:
        self._flows: dict[object, list[tuple[int, int, asyncio.Future[None]]]] = {}
        self.next_arrival = count().__next__
        """Function that returns the sequence number of a new computation."""
        self.moves = False
        """True if a computation waits for its slice or has just been given one."""
        self.undivided = False
        """True if computations are not divided into slices."""

    def turn(self, slices: int, arrival: int) -> asyncio.Future[None]:
        """Return a future that is done when the computation may run its next slice.

        `slices` is the number of slices that the computation has used, and `arrival` the sequence number that it got
        when it began.
        """
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        context = REQUEST_CONTEXT.get()
        flow = None if context is None else context.flow
        heappush(self._flows.setdefault(flow, []), (slices.bit_length(), arrival, turn))
        if not self.moves:
            self.moves = True
            loop.call_soon(self._move)
        return turn

    def _move(self) -> None:
        """Let the computation whose turn it is run for one slice. Repeat this after the next poll of the sockets."""
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


def work_undivided() -> None:
    """Stop dividing computations on the running event loop into slices.

    Called for a server with a seed: slices end by real time, so their order would differ from run to run.
    """
    _line_of(asyncio.get_running_loop()).undivided = True


def _line_of(loop: asyncio.AbstractEventLoop) -> _Line:
    line = _LINES.get(loop)
    if line is None:
        line = _LINES[loop] = _Line()
    return line


_LINES: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, _Line]] = WeakKeyDictionary()
"""For each event loop, the queue of computations that wait for their next slice."""
