"""Limits of concurrent requests by kind, and fair queues for those that exceed them.

Reads and writes are limited as by kube-apiserver's ``--max-requests-inflight`` and
``--max-mutating-requests-inflight``, and refused with the same response (``WithMaxInFlightLimit``). Watches and
streams, which kube-apiserver does not limit, have limits of their own. Health checks have none.

Each client has a flow (:func:`flow_of`). A flow gets a seat while it holds fewer than four times the number of free
seats: the dynamic threshold of Choudhury and Hahne (1998). One greedy flow can hold four fifths of all seats, two of
them four ninths each, and some seats always stay free for new flows. A request without a seat waits in the queue of
its flow; flows get free seats in turn. API priority and fairness does much the same with hashed queues, which can
collide; one process can afford a queue for each flow.
"""

import asyncio
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from memkube.endpoints.filters.limits import RequestLimits
from memkube.endpoints.requests.api_request import HEALTH, ApiRequest
from memkube.endpoints.responses.responses import BytesResponse, text_response
from memkube.faults.refusals import TOO_MANY_REQUESTS
from memkube.registry.declarations.request_options import MASTERS

_SHARE: Final = 4
_LONGEST_QUEUE: Final = 300
"""Maximum number of waiting requests of one flow; kube-apiserver has six queues of fifty."""
_READS: Final = frozenset({"GET", "HEAD"})
_SERVED_PATHS: Final = ("/metrics", *(f"/{name}" for name in HEALTH))
_RETRY_AFTER: Final = (b"retry-after", b"1")


class TooManyRequests(Exception):
    """Raised if a request may not run: the queue of its client is full, or it has waited too long."""


class Seats:
    """The limit of concurrent requests of one kind (reads, writes, watches or streams).

    It is a number of seats. Each request takes one while it runs.
    """

    def __init__(self, limit: int, patience: float = 0.0) -> None:
        """`limit` is the number of seats, 0 for no limit; `patience` the number of seconds to wait for one."""
        self.limit = limit
        self.holders: set[ApiRequest] = set()
        """The requests that have a seat."""
        self._patience = patience
        self._ample = limit * _SHARE // (_SHARE + 1) if limit else float("inf")
        """Number of taken seats below which no flow can have more than its share, whatever it holds."""
        self.queues: dict[object, dict[ApiRequest, asyncio.Future[None]]] = {}
        """The waiting requests of each flow, with the futures that give them a seat."""
        self.most = 0
        """Maximum number of taken seats in the current second."""
        self._most_before = 0

    @property
    def waiting(self) -> int:
        """Number of requests that wait for a seat, that is for other requests to end."""
        return sum(map(len, self.queues.values()))

    @property
    def peak(self) -> int:
        """Maximum number of concurrent requests (taken seats) in the current and the last second."""
        return max(self.most, self._most_before)

    def begin_second(self) -> None:
        """Start a new second of the maximum that `peak` returns. Called every second."""
        self._most_before, self.most = self.most, len(self.holders)

    def take(self, request: ApiRequest) -> bool:
        """Let the request run at once if few seats are taken. Return False if it must call `wait`."""
        holders = self.holders
        taken = len(holders)
        if taken >= self._ample:
            return False
        holders.add(request)
        if taken >= self.most:
            self.most = taken + 1
        return True

    async def wait(self, request: ApiRequest) -> None:
        """Wait until the request may run (has a seat). Raises TooManyRequests if that takes too long."""
        flow = request.flow
        if MASTERS in request.user.groups or (flow not in self.queues and self._may_sit(flow)):
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
        """Free the seat of a request that has ended, and let a waiting request run. Does nothing without a seat."""
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
        """Let waiting requests run while seats are free, one client after the other."""
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
    """The limits of concurrent requests of all kinds, each a number of seats."""

    def __init__(self, limits: RequestLimits, patience: float) -> None:
        """`patience` is the number of seconds that a read or write may wait for other requests to end."""
        self.reads = Seats(limits.reads, patience)
        self.writes = Seats(limits.writes, patience)
        self.watches = Seats(limits.watches)
        self.streams = Seats(limits.streams)

    def of(self, method: str, *, watches: bool, lasts: bool) -> Seats:
        """Return the limit of concurrent requests that applies to a request.

        `watches` is True for a watch, and `lasts` for other long-running requests such as logs; else `method` decides
        between reads and writes.
        """
        if watches:
            return self.watches
        if lasts:
            return self.streams
        return self.reads if method in _READS else self.writes

    def begin_second(self) -> None:
        """Start a new second for the metrics of concurrent requests. The HTTP server calls this every second."""
        self.reads.begin_second()
        self.writes.begin_second()

    def end_watches(self) -> None:
        """End every watch as if its ``timeoutSeconds`` had passed."""
        for request in self.watches.holders:
            if request.noted is not None and request.noted.watching is not None:
                request.noted.watching.end()


def too_many_requests() -> BytesResponse:
    """Return the 429 response for a request that exceeds the limit of concurrent requests."""
    response = text_response(f"{TOO_MANY_REQUESTS}\n", 429)
    response.raw_headers.append(_RETRY_AFTER)
    return response


class ShuttingDown:
    """Answers 429 to all requests but health checks and metrics, while the server shuts down (``WithRetryAfter``)."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request: with 429, unless it is a health check or for metrics."""
        application = self._application
        if not scope["path"].startswith(_SERVED_PATHS):
            response = text_response("The apiserver is shutting down, please try again later.\n", 429)
            response.raw_headers += [(b"retry-after", b"5"), (b"connection", b"close")]
            application = response
        await application(scope, receive, send)
