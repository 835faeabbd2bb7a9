"""Limits of concurrent requests by kind, and fair queues for requests that exceed them.

Reads and writes are limited as by kube-apiserver's ``--max-requests-inflight`` and
``--max-mutating-requests-inflight``, and rejected with the same response (``WithMaxInFlightLimit``). Watches and
streams, which kube-apiserver does not limit, have limits of their own. Health checks have none.

Each priority level has its share of the seats for reads and of those for writes. It can also use free seats that are
not guaranteed to another level. Requests of exempt levels get a seat at once.

Within a level, each client has a flow (:class:`Flow`). A flow gets a seat while it holds fewer than four times the
number of seats that are free for the level: the dynamic threshold of Choudhury and Hahne (1998). One greedy flow can
hold four fifths of these seats, two greedy flows four ninths each, and some seats always stay free for new flows. A
request without a seat waits in the queue of its flow; flows get free seats one after the other. API priority and
fairness hashes flows to a fixed number of queues, which several flows may share; this server has one queue for each
flow.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from starlette.types import ASGIApp, Receive, Scope, Send

from memkube.endpoints.filters.limits import RequestLimits
from memkube.endpoints.flow_control.classification import FlowClass, PriorityLevel
from memkube.endpoints.flow_control.shares import Share, shares_of
from memkube.endpoints.requests.api_request import HEALTH, ApiRequest, parse_address
from memkube.endpoints.responses.responses import BytesResponse, text_response
from memkube.faults.refusals import TOO_MANY_REQUESTS

_SHARE: Final = 4
_LONGEST_QUEUE: Final = 300
"""Maximum number of requests that wait in the queue of one flow, for flows without a priority level."""
_READS: Final = frozenset({"GET", "HEAD"})
_SERVED_PATHS: Final = ("/metrics", *(f"/{name}" for name in HEALTH))
_RETRY_AFTER: Final = (b"retry-after", b"1")
Levels: TypeAlias = Callable[[], Mapping[str, PriorityLevel]]
"""Function that returns all priority levels by name.

It returns the same mapping object until a priority level changes.
"""
_NO_LEVELS: Final[Mapping[str, PriorityLevel]] = MappingProxyType({})


class TooManyRequests(Exception):
    """Raised if a request is rejected because the queue of its flow is full, or because it has waited too long."""


class Flow(NamedTuple):
    """Requests that share one queue: those of one FlowSchema that come from one client, or concern one namespace."""

    level: str
    """Name of the priority level; "" if the requests have none."""
    schema: str
    """Name of the FlowSchema; "" if the requests match none."""
    distinguisher: object
    """The client or the namespace of the requests; None if the FlowSchema has only one flow."""


def _level_of(request: ApiRequest) -> PriorityLevel | None:
    found: FlowClass | None = request.scope.get("flow_class")
    return None if found is None else found.level


def seat_flow(request: ApiRequest) -> Flow:
    """Return the flow to which a request belongs.

    In kube-apiserver, the method ByUser puts all anonymous clients in one flow. Here each connection's client has its
    own flow, because most servers have only anonymous clients.
    """
    found: FlowClass | None = request.scope.get("flow_class")
    if found is None:
        return Flow("", "", request.flow)
    by: object = None
    if found.distinguisher == "ByUser":
        by = request.flow
    elif found.distinguisher == "ByNamespace":
        address = parse_address(request.path)
        by = address.namespace if address is not None else ""
    return Flow(found.level.name, found.schema, by)


class Seats:
    """The limit of concurrent requests of one kind (reads, writes, watches or streams).

    The limit is a number of seats. Each request takes one seat while it runs.
    """

    def __init__(self, limit: int, max_wait: float = 0.0, levels: Levels = lambda: _NO_LEVELS) -> None:
        """Create the limit.

        `limit` is the number of seats, or 0 for no limit. `max_wait` is the number of seconds that a request waits for
        a seat, and `levels` returns the priority levels that share the seats.
        """
        self.limit = limit
        self._levels = levels
        self._divided: Mapping[str, PriorityLevel] | None = None
        """The priority levels by whose shares the seats are divided."""
        self._shares: Mapping[str, Share] = {}
        self.holders: set[ApiRequest] = set()
        """The requests that have a seat."""
        self._max_wait = max_wait
        self._ample = float("inf")
        """While fewer seats than this are taken, every request gets a seat.

        No flow and no priority level can have more than its share then, even if it has all of the taken seats.
        """
        self.queues: dict[Flow, dict[ApiRequest, asyncio.Future[None]]] = {}
        """The waiting requests of each flow, with the futures that give them a seat."""
        self.refused: Counter[str] = Counter()
        """Number of requests refused because they found no seat, by name of the priority level."""
        self.timed_out: Counter[str] = Counter()
        """Number of requests that waited too long for a seat, by name of the priority level."""
        self.cancelled: Counter[str] = Counter()
        """Number of requests whose client disconnected while they waited for a seat, by name of the priority level."""
        self.most = 0
        """Maximum number of taken seats in the current second."""
        self._most_before = 0

    @property
    def waiting(self) -> int:
        """Number of requests that are waiting for a seat."""
        return sum(map(len, self.queues.values()))

    @property
    def peak(self) -> int:
        """Maximum number of concurrent requests in the current and the previous second."""
        return max(self.most, self._most_before)

    def begin_second(self) -> None:
        """Begin a new second for `peak`, which covers the current second and the one before. Called once a second."""
        self._most_before, self.most = self.most, len(self.holders)

    def take(self, request: ApiRequest) -> bool:
        """Take a seat for the request and return True if so few seats are taken that no limit can apply.

        Otherwise return False: the caller must call `wait`, which checks the limits of priority levels and flows.
        """
        holders = self.holders
        taken = len(holders)
        if self._divided is not self._levels():
            self._divide()
        if taken >= self._ample:
            return False
        holders.add(request)
        if taken >= self.most:
            self.most = taken + 1
        return True

    async def wait(self, request: ApiRequest) -> None:
        """Wait until the request has a seat.

        Raises TooManyRequests if the queue of the request's flow is full, or the request has waited too long.
        """
        flow, level = seat_flow(request), _level_of(request)
        if (level is not None and level.is_exempt) or (flow not in self.queues and self._may_take_seat(flow)):
            self._seat(request)
            return
        queue = self.queues.setdefault(flow, {})
        try:
            longest = _LONGEST_QUEUE if level is None else level.longest_queue
            if not self._max_wait or len(queue) >= longest:
                self.refused[flow.level] += 1
                raise TooManyRequests
            turn = queue[request] = asyncio.get_running_loop().create_future()
            async with asyncio.timeout(self._max_wait):
                await turn
        except TimeoutError:
            if request not in self.holders:
                self.timed_out[flow.level] += 1
                raise TooManyRequests from None
        except asyncio.CancelledError:
            self.cancelled[flow.level] += 1
            self.leave(request)
            raise
        finally:
            queue.pop(request, None)
            if not queue and self.queues.get(flow) is queue:
                del self.queues[flow]

    def leave(self, request: ApiRequest) -> None:
        """Free the seat of a request that has ended, and give free seats to waiting requests.

        A request without a seat is ignored.
        """
        self.holders.discard(request)
        if self.queues:
            self.call()

    def _seat(self, request: ApiRequest) -> None:
        self.holders.add(request)
        self.most = max(self.most, len(self.holders))

    def _divide(self) -> None:
        """Divide the seats between the existing priority levels."""
        levels = self._divided = self._levels()
        self._shares = shares_of(levels.values(), self.limit)
        if self.limit:
            guaranteed = sum(share.guaranteed for share in self._shares.values())
            most = min((share.most for share in self._shares.values()), default=self.limit)
            self._ample = min((self.limit - guaranteed) * _SHARE // (_SHARE + 1), most)

    def _may_take_seat(self, flow: Flow) -> bool:
        return sum(1 for holder in self.holders if seat_flow(holder) == flow) < _SHARE * self._free_for(flow.level)

    def _free_for(self, level: str) -> int:
        """Return the number of free seats that requests of a priority level can take now."""
        share = self._shares.get(level, Share(0, self.limit))
        held = Counter(seat_flow(holder).level for holder in self.holders)
        others = sum(max(one.guaranteed - held[name], 0) for name, one in self._shares.items() if name != level)
        free = min(self.limit - len(self.holders) - others, share.most - held[level])
        # A level may always take its guaranteed seats, even if requests of exempt levels hold some of them.
        return max(free, share.guaranteed - held[level])

    def call(self) -> None:
        """Give free seats to waiting requests, to one flow after the other."""
        while flow := next((flow for flow, queue in self.queues.items() if queue and self._may_take_seat(flow)), None):
            queue = self.queues.pop(flow)
            request, turn = next(iter(queue.items()))
            del queue[request]
            if queue:
                self.queues[flow] = queue
            if not turn.done():
                self._seat(request)
                turn.set_result(None)


class AllSeats:
    """The limits of concurrent reads, writes, watches and streams."""

    def __init__(self, limits: RequestLimits, max_wait: float, levels: Levels) -> None:
        """Create the limits with the numbers of concurrent requests in `limits`.

        `max_wait` is the number of seconds that a read or write waits for a seat. `levels` returns the priority levels
        that share the seats for reads, and also the seats for writes.
        """
        self.reads = Seats(limits.reads, max_wait, levels)
        self.writes = Seats(limits.writes, max_wait, levels)
        self.watches = Seats(limits.watches)
        self.streams = Seats(limits.streams)

    def of(self, method: str, *, watches: bool, lasts: bool) -> Seats:
        """Return the limit that applies to a request.

        `watches` is True for a watch, and `lasts` for other long-running requests such as logs. For all other requests,
        `method` decides between reads and writes.
        """
        if watches:
            return self.watches
        if lasts:
            return self.streams
        return self.reads if method in _READS else self.writes

    def begin_second(self) -> None:
        """Begin a new second for `Seats.peak` of reads and writes. The HTTP server calls this method once a second."""
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
    """Answers 429 to all requests except health checks and metrics while the server shuts down (``WithRetryAfter``)."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 429, or pass the request to the application if it is a health check or a request for metrics."""
        application = self._application
        if not scope["path"].startswith(_SERVED_PATHS):
            response = text_response("The apiserver is shutting down, please try again later.\n", 429)
            response.raw_headers += [(b"retry-after", b"5"), (b"connection", b"close")]
            application = response
        await application(scope, receive, send)
