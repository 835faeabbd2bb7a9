"""``/debug/api_priority_and_fairness/``: dumps of the priority levels, their queues, and their requests.

Source: apiserver ``util/flowcontrol/apf_controller_debug.go``. kube-apiserver has a fixed number of queues for each
priority level. This server has a queue for each flow of reads and each flow of writes, as long as the flow has running
or waiting requests. A level that is exempt, or lets no request wait, has no queues.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Final, NamedTuple

from fastapi import APIRouter
from starlette.types import ASGIApp

from memkube.endpoints.filters.seats import AllSeats, Flow, seat_flow
from memkube.endpoints.flow_control.classifier import FlowClassifier
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.requests.request_attributes import attributes_of
from memkube.endpoints.responses.responses import NOT_FOUND_TEXT, text_response
from memkube.endpoints.routers.api_route import ANY_METHOD, ApiRoute

_FOLDER: Final = "/debug/api_priority_and_fairness"
_LEVEL_COLUMNS: Final = (
    "PriorityLevelName", "ActiveQueues", "IsIdle", "IsQuiescing", "WaitingRequests", "ExecutingRequests",
    "DispatchedRequests", "RejectedRequests", "TimedoutRequests", "CancelledRequests",
)  # fmt: skip
_QUEUE_COLUMNS: Final = (
    "PriorityLevelName", "Index", "PendingRequests", "ExecutingRequests", "SeatsInUse", "NextDispatchR",
    "InitialSeatsSum", "MaxSeatsSum", "TotalWorkSum",
)  # fmt: skip
_REQUEST_COLUMNS: Final = (
    "PriorityLevelName", "FlowSchemaName", "QueueIndex", "RequestIndexInQueue", "FlowDistingsher", "ArriveTime",
    "InitialSeats", "FinalSeats", "AdditionalLatency", "StartTime",
)  # fmt: skip
_DETAIL_COLUMNS: Final = (
    "UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource",
)  # fmt: skip
_NARROWEST: Final = 8
_ZERO_TIME: Final = "0001-01-01T00:00:00Z"


class _Queue(NamedTuple):
    """The waiting and running requests of one flow: either its reads or its writes."""

    flow: Flow
    waiting: Sequence[ApiRequest]
    running: Sequence[ApiRequest]


class _Level(NamedTuple):
    """The waiting and running requests of one priority level, by queue."""

    name: str
    queues: Sequence[_Queue]
    """The queues of the level. The index of a queue is its position."""
    without_queue: Sequence[_Queue]
    """Requests of a level without queues."""

    @property
    def all_queues(self) -> Sequence[_Queue]:
        """All requests of the level: those in `queues`, or in `without_queue` if the level has no queues."""
        return [*self.queues, *self.without_queue]


def flow_control_router(classifier: FlowClassifier, seats: AllSeats) -> APIRouter:
    """Return a router for the dumps of priority levels, queues and requests. It accepts any method.

    `classifier` has the priority levels, and `seats` the waiting and running requests.
    """
    router = APIRouter(route_class=ApiRoute)

    @router.api_route(f"{_FOLDER}/{{dump}}", methods=ANY_METHOD)
    async def flow_control_dump(request: ApiRequest) -> ASGIApp:
        dump = request.path.rpartition("/")[2]
        if dump == "dump_priority_levels":
            return _table([_LEVEL_COLUMNS, *_level_rows(classifier, seats)])
        if dump == "dump_queues":
            return _table([_QUEUE_COLUMNS, *_queue_rows(classifier, seats)])
        if dump != "dump_requests":
            return text_response(NOT_FOUND_TEXT, 404)
        details = bool(request.parameter("includeRequestDetails"))
        columns = _REQUEST_COLUMNS + _DETAIL_COLUMNS if details else _REQUEST_COLUMNS
        return _table([columns, *_request_rows(classifier, seats, details)])

    return router


def _levels(classifier: FlowClassifier, seats: AllSeats) -> Iterator[_Level]:
    """Yield the priority levels of `classifier`, sorted by name, with the requests in `seats` (waiting and running)."""
    found: dict[str, list[_Queue]] = {level: [] for level in sorted(classifier.levels)}
    for kind in (seats.reads, seats.writes):
        running: dict[Flow, list[ApiRequest]] = {}
        for request in sorted(kind.holders, key=lambda request: request.arrived):
            running.setdefault(seat_flow(request), []).append(request)
        for flow in sorted({*kind.queues, *running}, key=lambda flow: (flow.schema, _distinguisher(flow))):
            if flow.level in found:
                found[flow.level].append(_Queue(flow, list(kind.queues.get(flow, ())), running.get(flow, [])))
    for name, queues in found.items():
        level = classifier.levels[name]
        has_queues = not level.is_exempt and level.longest_queue > 0
        yield _Level(name, queues, ()) if has_queues else _Level(name, (), queues)


def _level_rows(classifier: FlowClassifier, seats: AllSeats) -> Iterator[Sequence[str]]:
    kinds = (seats.reads, seats.writes)
    for level in _levels(classifier, seats):
        name, queues = level.name, level.all_queues
        waiting, executing = sum(len(one.waiting) for one in queues), sum(len(one.running) for one in queues)
        refused, timed_out = sum(kind.refused[name] for kind in kinds), sum(kind.timed_out[name] for kind in kinds)
        cancelled = sum(kind.cancelled[name] for kind in kinds)
        dispatched = classifier.received[name] - waiting - refused - timed_out - cancelled
        active = sum(1 for one in queues if one.waiting)
        numbers = (waiting, executing, dispatched, refused, timed_out, cancelled)
        yield name, str(active), str(not queues).lower(), "false", *map(str, numbers)


def _queue_rows(classifier: FlowClassifier, seats: AllSeats) -> Iterator[Sequence[str]]:
    """Yield a row of the dump of queues for each queue of each priority level.

    `classifier` has the priority levels, and `seats` their waiting and running requests. The columns for seats have the
    numbers of requests, because each request takes one seat. ``NextDispatchR`` and ``TotalWorkSum`` are empty: they are
    virtual times of kube-apiserver's fair queuing, which this server does not have.
    """
    for level in _levels(classifier, seats):
        for index, queue in enumerate(level.queues):
            waiting, running = str(len(queue.waiting)), str(len(queue.running))
            yield level.name, str(index), waiting, running, running, "", waiting, waiting, ""


def _request_rows(classifier: FlowClassifier, seats: AllSeats, details: bool) -> Iterator[Sequence[str]]:
    """Yield a row of the dump of requests for each request in `seats`, by priority level and queue.

    `classifier` has the levels. In each queue, the waiting requests come before the running ones. With `details`, a row
    also has the columns about the user and the object (`_DETAIL_COLUMNS`).
    """
    start_of_clock = datetime.now(UTC) - timedelta(seconds=monotonic())
    for level in _levels(classifier, seats):
        for index, queue in enumerate(level.queues):
            for request_index, request in enumerate(queue.waiting):
                yield _request_row(request, queue.flow, (index, request_index), start_of_clock, details)
            for request in queue.running:
                yield _request_row(request, queue.flow, (index, -1), start_of_clock, details)
        for queue in level.without_queue:
            for request in queue.running:
                yield _request_row(request, queue.flow, (-1, -1), start_of_clock, details)


def _request_row(
    request: ApiRequest, flow: Flow, position: tuple[int, int], start_of_clock: datetime, details: bool
) -> Sequence[str]:
    """Return the row of a request. `position` has the index of its queue, and its place among the waiting requests.

    The index is -1 for a request without a queue, and the place is -1 for a running request. `start_of_clock` is the
    time at which ``time.monotonic`` was 0, and `details` adds the columns about the user and the object.
    """
    index, request_index = position
    seated = request.arrived + (request.context.waited if request.context is not None else 0)
    row = [
        flow.level, flow.schema, str(index), str(request_index), _distinguisher(flow),
        _nanoseconds(start_of_clock + timedelta(seconds=request.arrived)), "1", "0", "0s",
        _ZERO_TIME if request_index >= 0 else _nanoseconds(start_of_clock + timedelta(seconds=seated)),
    ]  # fmt: skip
    if details:
        asked = attributes_of(request)
        version = f"{asked.group}/{asked.version}" if asked.group else asked.version
        row += [asked.user.name, asked.verb, asked.path, asked.namespace, asked.name, version]
        row += [asked.resource, asked.subresource]
    return row


def _distinguisher(flow: Flow) -> str:
    """Return the user or namespace that distinguishes a flow; for anonymous clients, their address and user agent."""
    if isinstance(flow.distinguisher, tuple):
        address, agent = flow.distinguisher
        return f"{address} {agent.decode('latin-1')}"
    return str(flow.distinguisher or "")


def _nanoseconds(instant: datetime) -> str:
    """Format a time in Go's layout RFC3339Nano, which has no zeros at the end of the fraction."""
    text = instant.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
    return f"{text.rstrip('0').removesuffix('.')}Z"


def _table(rows: Iterable[Sequence[str]]) -> ASGIApp:
    """Return a response of comma-separated values in columns, aligned as by Go's ``text/tabwriter``."""
    cells = [[*(f"{cell}," for cell in row[:-1]), row[-1]] for row in rows]
    widths = [max(_NARROWEST, *(len(row[at]) + 1 for row in cells)) for at in range(len(cells[0]) - 1)]
    lines = ("".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)) for row in cells)
    return text_response("".join(f"{line}\n" for line in lines))
