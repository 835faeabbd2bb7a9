"""Which requests are begun when many come at once.

A thousand connections may bring a thousand requests between two looks at the sockets, and one event loop would do all
of them before it looked again. So only some are begun at once: as many as take about ten milliseconds until they are
done or wait for something. Of the others clients are served in turn, whatever they have waiting; a connection has one
request waiting at most, so that their number is that of connections. Health goes first.
"""

from asyncio import get_running_loop
from collections import deque
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Final, TypeAlias

from starlette.types import Scope

from memkube.endpoints.requests.address import HEALTH

_FEWEST: Final = 1
_MOST: Final = 64
_AT_FIRST: Final = 16
_LONG_SECONDS: Final = 0.01
_HEALTH: Final = tuple(f"/{name}" for name in HEALTH)
_WHO: Final = frozenset({b"user-agent", b"impersonate-user"})
Begin: TypeAlias = Callable[[], object]


class Starts:
    """Begins the requests of one server. Belongs to its event loop."""

    def __init__(self) -> None:
        self.left = _AT_FIRST
        """How many may be begun at once, each of which takes one away; who finds none has to wait."""
        self._at_once = _AT_FIRST
        self._flows: dict[object, deque[Begin]] = {}
        self._since = 0.0
        self._moves = False

    def wait(self, scope: Scope, begin: Begin) -> None:
        """Calls `begin` when it is the client's turn; at once for health."""
        if scope["path"].startswith(_HEALTH):
            begin()
            return
        self._flows.setdefault(_flow(scope["client"], scope["headers"]), deque()).append(begin)
        if not self._moves:
            self._moves = True
            self._since = perf_counter()
            get_running_loop().call_soon(self._move)

    def _move(self) -> None:
        """Begins some more. Those that were begun before have been worked on since: the loop keeps the order."""
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
            begin = waiting.popleft()
            if waiting:
                self._flows[flow] = waiting
            begin()
        self._moves = bool(self._flows)
        if self._moves:
            get_running_loop().call_soon(self._move)


def _flow(client: tuple[str, int] | None, headers: Iterable[tuple[bytes, bytes]]) -> object:
    """Whose request it is; see ``ApiRequest.flow``, which knows users."""
    found = {name: value for name, value in headers if name in _WHO}
    return found.get(b"impersonate-user") or (client and client[0], found.get(b"user-agent"))
