"""Recording of requests: in the request log, in the metrics, and in the log of slow requests.

Sources of the metric labels: apiserver ``endpoints/metrics`` (MonitorRequest, CleanVerb, CleanScope) and
``endpoints/installer.go``. A log line about a slow request contains the duration of each step (Kubernetes'
``utiltrace``).
"""

import logging
from collections.abc import Awaitable, Iterator
from functools import partial
from time import monotonic
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.validation.options import validate_write_options
from memkube.apimachinery.shown_values import one_line
from memkube.endpoints.filters.http_faults import serve_with_faults
from memkube.endpoints.filters.seats import AllSeats, Seats, TooManyRequests, too_many_requests
from memkube.endpoints.requests.api_request import (
    LASTING,
    OF_PAGE,
    Address,
    ApiRequest,
    asks_to_watch,
    is_health_check,
    is_lasting,
    parse_address,
    wants_watch,
)
from memkube.endpoints.responses.responses import refused
from memkube.registry.declarations.authorization import NotAllowed
from memkube.registry.registry import Registry
from memkube.registry.writes.patching import APPLY_PATCH
from memkube.telemetry.measures import Measures, RequestLabels, RequestSeries
from memkube.telemetry.request_log import RequestLog, RequestRecord

_CONTROL: Final = "/memkube/"
SWITCHED: Final = 101
"""HTTP status that the request log records for a connection that was upgraded."""
_ITEM: Final = {
    "GET": "get",
    "HEAD": "get",
    "POST": "create",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}
_COLLECTION: Final = _ITEM | {"GET": "list", "HEAD": "list", "DELETE": "deletecollection"}
VERBS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
"""Methods that metrics of requests show as their verb. Other methods are ``other``, and HEAD is GET."""
_PARTS: Final = frozenset({b"kube-apiserver", b"kube-controller-manager", b"kube-scheduler"})
"""Kubernetes components, by the names in their user agents, whose requests some metrics count separately."""
FIELDS: Final = "fields"
"""Name of the log record attribute that holds structured data.

For example: ``logger.info("…", extra={FIELDS: {"verb": "get"}})``.
"""
LOGGER: Final = logging.getLogger("memkube.trace")
_LASTING: Final = frozenset({"WATCH", "CONNECT"})


def identify(record: RequestRecord) -> None:
    """Set verb and resource of a request's log record, as kube-apiserver's RequestInfo does.

    Both follow from method and path, so that records of rejected requests contain them, too.
    """
    method = record.method
    address = parse_address(record.path) if record.path.startswith("/api") else None
    if address is None or not address.resource:
        record.verb = method.lower()
        return
    record.target = address
    record.verb = (_ITEM if address.name else _COLLECTION).get(method) or method.lower()
    if address.watch or (record.verb == "list" and wants_watch(record.query)):
        record.verb = "watch"


def note_refusal(record: RequestRecord, error: ApiError) -> None:
    """Record why a request was rejected: the reason and message of the error, and the rights that the user lacks."""
    if isinstance(error, NotAllowed):
        record.denied = error.rights
    status = error.status
    if status is None:
        record.refuse(error.reason, error.message)
    else:
        record.refuse(str(status.get("reason") or ""), str(status.get("message") or ""))


async def refuse_and_record(
    request: ApiRequest, error: ApiError, send: Send, log: RequestLog, response: ASGIApp | None = None
) -> None:
    """Answer a request with an error before it reaches an endpoint, and record this in the request log.

    `response` is the response to the client; by default, it is the Status of the error.
    """
    request.log, request.arrived = log, monotonic()
    answer = response or refused(request, error)
    if OF_PAGE in request.scope:
        await answer(request.scope, request.receive, send)
        return
    log.under_way.add(request)
    try:
        note_refusal(request.record, error)
        request.record.code = error.code
        await answer(request.scope, request.receive, send)
    finally:
        log.end(request)


class Recorded:
    """Wraps an application that serves no resources, such as discovery.

    Records requests in the request log, and limits how many run at the same time, except for health checks.
    """

    def __init__(self, application: ASGIApp, registry: Registry, log: RequestLog, seats: AllSeats) -> None:
        self._application = application
        self._registry = registry
        self._log = log
        self._seats = seats

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request.

        Requests to memkube's own control API are neither recorded nor limited, and no fault applies to them.
        """
        if scope["path"].startswith(_CONTROL):
            await self._application(scope, receive, send)
            return
        request, log = ApiRequest(scope, receive), self._log
        request.log, request.arrived = log, monotonic()
        log.under_way.add(request)
        application, seats = self._application, self._seats_for(request)
        try:
            noting = partial(_noting, request.record, send)
            try:
                if seats is not None and not seats.take(request):
                    await seats.wait(request)
            except TooManyRequests:
                application = too_many_requests()
            if self._registry.faults.present:
                await serve_with_faults(self._registry, application, request, noting)
            else:
                await application(scope, receive, noting)
        finally:
            if seats is not None:
                seats.leave(request)
            log.end(request)

    def _seats_for(self, request: ApiRequest) -> Seats | None:
        """Return the limit of concurrent requests that applies to a request; None for health checks."""
        if is_health_check(request.path):
            return None
        address = parse_address(request.path)
        watches = address is not None and asks_to_watch(request, address)
        return self._seats.of(request.method, watches=watches, lasts=is_lasting(request))


def _noting(record: RequestRecord, send: Send, message: Message) -> Awaitable[None]:
    if not record.code:
        record.code = message.get("status", SWITCHED)
    return send(message)


def labels_of(method: str, address: Address) -> RequestLabels:
    """Return the metric labels that follow from the method and the address of a request for a resource."""
    scope = "namespace" if address.namespace else "cluster"
    if address.name or method == "POST":
        scope = "resource"
    verb = "GET" if method == "HEAD" else method
    if address.subresource in LASTING:
        verb = "CONNECT"
    elif address.watch:
        verb = "WATCH"
    elif verb == "GET" and scope != "resource":
        verb = "LIST"
    elif verb not in VERBS:
        verb = "other"
    return RequestLabels(verb, "", address.group, address.version, address.resource, address.subresource, scope)


def series_of(request: ApiRequest, series: RequestSeries, measures: Measures, *, watches: bool) -> RequestSeries:
    """Return the metric series that counts a request.

    `series` is the series for requests with the same method and path, and `measures` has all series of the server. If
    the request is a watch (`watches` is True), an apply or a dry run, the result is another series, whose label
    ``verb`` or ``dry_run`` says so.
    """
    labels = series.labels
    if watches:
        return measures.of(labels._replace(verb="WATCH"))
    if labels.verb == "PATCH" and request.header(b"content-type") == APPLY_PATCH:
        series = measures.of(labels._replace(verb="APPLY"))
    if b"dryRun" in request.scope["query_string"]:
        asked = request.query.get("dryRun", [])
        dry_run = "invalid" if validate_write_options("", asked, "") else ",".join(sorted(set(asked)))
        series = measures.of(series.labels._replace(dry_run=dry_run))
    return series


def client_of(agent: bytes) -> str:
    """Return the name of the Kubernetes component that sends this User-Agent header; "" for all other clients."""
    client, slash, _ = agent.partition(b"/")
    return client.decode() if slash and client in _PARTS else ""


def trace(request: ApiRequest, code: int, ended: float) -> None:
    """Log a request that took longer than the threshold, with the duration of each step.

    `code` is the status of the response, and `ended` the time at which the request ended. Watches and streams are
    not logged.
    """
    labels = None if request.series is None else request.series.labels
    if not LOGGER.isEnabledFor(logging.INFO) or (labels is not None and labels.verb in _LASTING):
        return
    steps = list(_durations(request, ended))
    fields = fields_of(request) | {
        "status": code,
        "seconds": round(ended - request.arrived, 6),
        "steps": {done: round(seconds, 6) for done, seconds in steps},
    }
    durations = ", ".join(f"{done} {seconds * 1000:.0f} ms" for done, seconds in steps)
    message = "Trace: %s %s (audit-id %s) by %s took %.0f ms: %s"
    took = (ended - request.arrived) * 1000
    LOGGER.info(
        message,
        request.method,
        one_line(request.path),
        one_line(fields["audit_id"]),
        one_line(str(request.user)),
        took,
        durations,
        extra={FIELDS: fields},
    )


def fields_of(request: ApiRequest) -> dict[str, Any]:
    """Return data about a request for structured log records."""
    return {
        "audit_id": request.scope.get("audit_id", b"").decode("latin-1"),
        "method": request.method,
        "path": request.path,
        "query": request.scope["query_string"].decode("latin-1"),
        "user": request.user.name,
        "user_agent": request.user_agent.decode("latin-1"),
    }


def _durations(request: ApiRequest, ended: float) -> Iterator[tuple[str, float]]:
    """Yield the name and duration in seconds of each step of a request, which ended at the time `ended`.

    If several steps have the same name, a number is added to the name.
    """
    last, times = request.arrived, dict[str, int]()
    steps = () if request.context is None else request.context.steps
    for done, when in (*steps, ("answer sent", ended)):
        times[done] = times.get(done, 0) + 1
        yield (done if times[done] == 1 else f"{done} ({times[done]})"), when - last
        last = when
