"""Records of HTTP requests for the request log."""

from collections.abc import Awaitable
from functools import partial
from time import monotonic
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memkube.apimachinery.errors import ApiError
from memkube.endpoints.filters.http_faults import serve_with_faults
from memkube.endpoints.filters.seats import AllSeats, Seats, TooManyRequests, too_many_requests
from memkube.endpoints.requests.address import is_health_check, parse_address
from memkube.endpoints.requests.api_request import ApiRequest, asks_to_watch, is_lasting, wants_watch
from memkube.registry.registry import Registry
from memkube.telemetry.request_log import RequestLog
from memkube.telemetry.request_record import RequestRecord

_CONTROL: Final = "/memkube/"
SWITCHED: Final = 101
"""HTTP status (101) with which the request log records an upgraded connection."""
_ITEM: Final = {
    "GET": "get",
    "HEAD": "get",
    "POST": "create",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}
_COLLECTION: Final = _ITEM | {"GET": "list", "HEAD": "list", "DELETE": "deletecollection"}


def identify(record: RequestRecord) -> None:
    """Set verb and resource of a log record, as kube-apiserver's RequestInfo does. Refused requests have them, too."""
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
    """Record why a request was refused: the reason and the message of the error."""
    status = error.status
    if status is None:
        record.refuse(error.reason, error.message)
    else:
        record.refuse(str(status.get("reason") or ""), str(status.get("message") or ""))


class Recorded:
    """Records and limits the requests of an application that serves something other than resources."""

    def __init__(self, application: ASGIApp, registry: Registry, log: RequestLog, seats: AllSeats) -> None:
        self._application = application
        self._registry = registry
        self._log = log
        self._seats = seats

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request.

        Requests of the control API are neither recorded nor limited, and no fault applies to them.
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
        """Return the seats that limit the request; None for health checks, which have no limit."""
        if is_health_check(request.path):
            return None
        address = parse_address(request.path)
        watches = address is not None and asks_to_watch(request, address)
        return self._seats.of(request.method, watches=watches, lasts=is_lasting(request))


def _noting(record: RequestRecord, send: Send, message: Message) -> Awaitable[None]:
    if not record.code:
        record.code = message.get("status", SWITCHED)
    return send(message)
