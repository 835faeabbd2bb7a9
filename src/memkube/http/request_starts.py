"""The order in which requests start when many arrive at once.

A thousand connections may bring a thousand requests between two polls of the sockets. If the event loop started all of
them before the next poll, new requests would wait long. So only some of them start before the next poll: as many as
keep the event loop busy for about ten milliseconds, until each is done or waits for something. The other requests wait,
and the flows (clients) take turns to start one request each. Each connection has at most one waiting request, so the
number of connections bounds the number of waiting requests.
"""

from asyncio import get_running_loop
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Final, TypeAlias

from starlette.types import Scope

_FEWEST: Final = 1
_MOST: Final = 64
_AT_FIRST: Final = 16
_LONG_SECONDS: Final = 0.01
Start: TypeAlias = Callable[[], object]


class RequestStarts:
    """Starts the requests of one server, a limited number at once.

    All calls must be made in the server's event loop.
    """

    def __init__(self, flow_of: Callable[[Scope], object], is_unbounded: Callable[[str], bool]) -> None:
        """Prepare to start requests.

        `flow_of` returns the flow (client) of a request; flows take turns. A request starts at once, without waiting
        for a turn, if `is_unbounded` returns True for its path.
        """
        self.left = _AT_FIRST
        """Number of requests that may start in this turn of the event loop.

        A caller that starts one itself subtracts one.
        """
        self._flow_of = flow_of
        self._is_unbounded = is_unbounded
        self._at_once = _AT_FIRST
        self._flows: dict[object, deque[Start]] = {}
        self._since = 0.0
        self._is_scheduled = False

    def wait(self, scope: Scope, start: Start) -> None:
        """Call `start` when it is the turn of the request's flow."""
        if self._is_unbounded(scope["path"]):
            start()
            return
        self._flows.setdefault(self._flow_of(scope), deque()).append(start)
        if not self._is_scheduled:
            self._is_scheduled = True
            self._since = perf_counter()
            get_running_loop().call_soon(self._start_next)

    def _start_next(self) -> None:
        """Start the next requests: more if the previous ones took a short time, fewer if they took long.

        The previous requests have already run, because the event loop calls callbacks in order.
        """
        now = perf_counter()
        if now - self._since > _LONG_SECONDS:
            self._at_once = max(self._at_once // 2, _FEWEST)
        else:
            self._at_once = min(self._at_once * 2, _MOST)
        self._since, self.left = now, self._at_once
        while self.left and self._flows:
            self.left -= 1
            flow = next(iter(self._flows))
            waiting = self._flows.pop(flow)
            start = waiting.popleft()
            if waiting:
                self._flows[flow] = waiting
            start()
        self._is_scheduled = bool(self._flows)
        if self._is_scheduled:
            get_running_loop().call_soon(self._start_next)
