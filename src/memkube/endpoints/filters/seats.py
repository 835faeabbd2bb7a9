"""How many requests are worked on at once, by kind, and who comes next when there are more.

Reads and writes are bounded as kube-apiserver's are by ``--max-requests-inflight`` and its sibling for writes, and
turned away with the same answer (``WithMaxInFlightLimit``). Watches and streams, which it does not count, have
bounds of their own. Health has none.

Clients are told apart as *flows*: the user, or for anonymous ones the address and the user agent. A flow gets a seat
while it holds fewer than four times those that are free. This is the dynamic threshold of Choudhury and Hahne (1998):
one greedy flow can hold four fifths of all seats, two of them four ninths each, and some always stay free for whoever
comes next. Who gets none waits behind others of its flow; flows are given seats in turn. API priority and fairness does
much the same with hashed queues, which can collide; one process can afford a queue for each flow.
"""

import asyncio
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from memkube.endpoints.filters.limits import RequestLimits
from memkube.endpoints.requests.address import HEALTH
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.responses.responses import BytesResponse, text_response
from memkube.faults.refusals import TOO_MANY_REQUESTS

_SHARE: Final = 4
_LONGEST_QUEUE: Final = 300
"""What one flow may have waiting; in the reference it is six queues of fifty."""
_PRIVILEGED: Final = "system:masters"
_READS: Final = frozenset({"GET", "HEAD"})
_ANSWERED: Final = ("/metrics", *(f"/{name}" for name in HEALTH))
_RETRY_AFTER: Final = (b"retry-after", b"1")


class TooManyRequests(Exception):
    """There is no seat for a request."""


class Seats:
    """The seats of one kind of requests."""

    def __init__(self, limit: int, patience: float = 0.0) -> None:
        """`limit` is how many there are, 0 for any number; `patience` how many seconds requests wait for one."""
        self.limit = limit
        self.holders: set[ApiRequest] = set()
        """The requests that are worked on."""
        self._patience = patience
        self._ample = limit * _SHARE // (_SHARE + 1) if limit else float("inf")
        """As long as fewer are taken nobody can have more than its share."""
        self.queues: dict[object, dict[ApiRequest, asyncio.Future[None]]] = {}
        """Those that wait, by flows."""
        self.most = 0
        """How many were worked on at once in this second, at most."""
        self._most_before = 0

    @property
    def waiting(self) -> int:
        """How many requests wait for a seat."""
        return sum(map(len, self.queues.values()))

    @property
    def peak(self) -> int:
        """How many were worked on at once in this second and the last one, at most."""
        return max(self.most, self._most_before)

    def begin_second(self) -> None:
        """To be called once a second."""
        self._most_before, self.most = self.most, len(self.holders)

    def take(self, request: ApiRequest) -> bool:
        """Gives a request a seat, if there are plenty."""
        holders = self.holders
        taken = len(holders)
        if taken >= self._ample:
            return False
        holders.add(request)
        if taken >= self.most:
            self.most = taken + 1
        return True

    async def wait(self, request: ApiRequest) -> None:
        """Gives a request a seat when it is its turn. Raises TooManyRequests."""
        flow = request.flow
        if _PRIVILEGED in request.user.groups or (flow not in self.queues and self._may_sit(flow)):
            self._seat(request)
            return
        queue = self.queues.setdefault(flow, {})
        try:
            if not self._patience or len(queue) >= _LONGEST_QUEUE:
                raise TooManyRequests
            turn = queue[request] = asyncio.get_running_loop().create_future()
            async with asyncio.timeout(self._patience):
                await turn
        except TimeoutError:
            if request not in self.holders:
                raise TooManyRequests from None
        except asyncio.CancelledError:
            self.leave(request)
            raise
        finally:
            queue.pop(request, None)
            if not queue and self.queues.get(flow) is queue:
                del self.queues[flow]

    def leave(self, request: ApiRequest) -> None:
        """Takes the seat of a request back, if it has one."""
        self.holders.discard(request)
        if self.queues:
            self.call()

    def _seat(self, request: ApiRequest) -> None:
        self.holders.add(request)
        self.most = max(self.most, len(self.holders))

    def _may_sit(self, flow: object) -> bool:
        free = self.limit - len(self.holders)
        return sum(1 for holder in self.holders if holder.flow == flow) < _SHARE * free

    def call(self) -> None:
        """Gives free seats to those who wait, to one flow after the other."""
        while flow := next((flow for flow, queue in self.queues.items() if queue and self._may_sit(flow)), None):
            queue = self.queues.pop(flow)
            request, turn = next(iter(queue.items()))
            del queue[request]
            if queue:
                self.queues[flow] = queue
            if not turn.done():
                self._seat(request)
                turn.set_result(None)


class AllSeats:
    """The seats of all kinds."""

    def __init__(self, limits: RequestLimits, patience: float) -> None:
        """`patience` is how many seconds reads and writes wait for a seat."""
        self.reads = Seats(limits.reads, patience)
        self.writes = Seats(limits.writes, patience)
        self.watches = Seats(limits.watches)
        self.streams = Seats(limits.streams)

    def of(self, method: str, *, watches: bool, lasts: bool) -> Seats:
        """The seats for a request: a watch, another one that lasts, a read or a write."""
        if watches:
            return self.watches
        if lasts:
            return self.streams
        return self.reads if method in _READS else self.writes

    def begin_second(self) -> None:
        """To be called once a second."""
        self.reads.begin_second()
        self.writes.begin_second()

    def end_watches(self) -> None:
        """Has every watch end as if its time were up."""
        for request in self.watches.holders:
            if request.noted is not None and request.noted.watching is not None:
                request.noted.watching.end()


def turned_away() -> BytesResponse:
    """The answer to a request that there is no seat for."""
    response = text_response(f"{TOO_MANY_REQUESTS}\n", 429)
    response.raw_headers.append(_RETRY_AFTER)
    return response


class ShuttingDown:
    """Stands before an application that takes no requests any more (``WithRetryAfter``); health and metrics go on."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        application = self._application
        if not scope["path"].startswith(_ANSWERED):
            response = text_response("The apiserver is shutting down, please try again later.\n", 429)
            response.raw_headers += [(b"retry-after", b"5"), (b"connection", b"close")]
            application = response
        await application(scope, receive, send)
