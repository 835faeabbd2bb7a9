"""``/debug/api_priority_and_fairness/``: dumps of the priority levels, and of the running and waiting requests.

Source: apiserver ``util/flowcontrol/apf_controller_debug.go``. ``dump_queues`` is not served: its columns describe a
fixed number of queues, which this server does not have.
"""

from collections import Counter
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
_REQUEST_COLUMNS: Final = (
    "PriorityLevelName", "FlowSchemaName", "QueueIndex", "RequestIndexInQueue", "FlowDistingsher", "ArriveTime",
    "InitialSeats", "FinalSeats", "AdditionalLatency", "StartTime",
)  # fmt: skip
_DETAIL_COLUMNS: Final = (
    "UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource",
)  # fmt: skip
_NARROWEST: Final = 8
_ZERO_TIME: Final = "0001-01-01T00:00:00Z"


class _Seen(NamedTuple):
    """A request in a dump: it is running, or waiting for a seat."""

    request: ApiRequest
    flow: Flow
    queue: int = -1
    """Index of the request's queue in its priority level; -1 if the request is running."""
    place: int = -1
    """Position of the request in its queue; -1 if the request is running."""


def flow_control_router(classifier: FlowClassifier, seats: AllSeats) -> APIRouter:
    """Return a router for the dumps of priority levels and requests. It accepts any method."""
    router = APIRouter(route_class=ApiRoute)

    @router.api_route(f"{_FOLDER}/{{dump}}", methods=ANY_METHOD)
    async def flow_control_dump(request: ApiRequest) -> ASGIApp:
        dump = request.path.rpartition("/")[2]
        if dump == "dump_priority_levels":
            return _table([_LEVEL_COLUMNS, *_level_rows(classifier, seats)])
        if dump != "dump_requests":
            return text_response(NOT_FOUND_TEXT, 404)
        details = bool(request.parameter("includeRequestDetails"))
        columns = _REQUEST_COLUMNS + _DETAIL_COLUMNS if details else _REQUEST_COLUMNS
        now, instant = datetime.now(UTC), monotonic()
        limited = [one for one in _requests(seats) if one.flow.level]
        return _table([columns, *(_request_row(one, now - timedelta(seconds=instant), details) for one in limited)])

    return router


def _requests(seats: AllSeats) -> Iterator[_Seen]:
    """Yield the reads and writes, sorted by priority level: first those that wait for a seat, then those that run."""
    found: list[_Seen] = []
    for kind in (seats.reads, seats.writes):
        queues: Counter[str] = Counter()
        for flow, queue in kind.queues.items():
            found += [_Seen(request, flow, queues[flow.level], place) for place, request in enumerate(queue)]
            queues[flow.level] += 1
        found += [_Seen(request, seat_flow(request)) for request in kind.holders]
    yield from sorted(found, key=lambda one: (one.flow.level, one.place < 0, one.request.arrived))


def _level_rows(classifier: FlowClassifier, seats: AllSeats) -> Iterator[Sequence[str]]:
    requests, kinds = list(_requests(seats)), (seats.reads, seats.writes)
    for level in sorted(classifier.levels):
        own = [one for one in requests if one.flow.level == level]
        waiting = sum(1 for one in own if one.place >= 0)
        refused, timed_out = sum(kind.refused[level] for kind in kinds), sum(kind.timed_out[level] for kind in kinds)
        cancelled = sum(kind.cancelled[level] for kind in kinds)
        dispatched = classifier.received[level] - waiting - refused - timed_out - cancelled
        queues = len({one.flow for one in own if one.place >= 0})
        numbers = (waiting, len(own) - waiting, dispatched, refused, timed_out, cancelled)
        yield level, str(queues), str(not own).lower(), "false", *map(str, numbers)


def _request_row(one: _Seen, start_of_clock: datetime, details: bool) -> Sequence[str]:
    request, flow = one.request, one.flow
    seated = request.arrived + (request.context.waited if request.context is not None else 0)
    row = [
        flow.level, flow.schema, str(one.queue), str(one.place), _distinguisher(flow),
        _nanoseconds(start_of_clock + timedelta(seconds=request.arrived)), "1", "0", "0s",
        _ZERO_TIME if one.place >= 0 else _nanoseconds(start_of_clock + timedelta(seconds=seated)),
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
