"""From an address and a method to a verb. Resources are looked up in the catalog on every request."""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from math import inf
from time import monotonic

from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from memkube.apimachinery.errors import ApiError, Details, internal_error
from memkube.endpoints.filters.deadlines import in_time
from memkube.endpoints.filters.measuring import client_of, labels_of, series_of
from memkube.endpoints.filters.recording import SWITCHED, note_refusal
from memkube.endpoints.filters.seats import AllSeats, Seats, TooManyRequests, turned_away
from memkube.endpoints.handlers.objects import (
    check_patch_type,
)
from memkube.endpoints.handlers.scope import Scope
from memkube.endpoints.parts import EndpointParts
from memkube.endpoints.requests.address import Address, MalformedRequest, check_escapes, check_watched, parse_address
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.requests.negotiation import (
    PLAIN,
    PROTOBUF,
    NoneAvailable,
    Representation,
    Restrictions,
    negotiate,
    negotiate_watch,
)
from memkube.endpoints.requests.query import LASTING, asks_to_watch, requested_seconds
from memkube.endpoints.responses.encodings import Encodings
from memkube.endpoints.responses.messages import has_messages
from memkube.endpoints.responses.responses import refused, text_response
from memkube.endpoints.routers.resource_routes import NOWHERE, Handler, Route, Shape, route_to, shape_of
from memkube.faults.active import ConnectionDropped
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import ConnectSubresource, Resource
from memkube.registry.storage_errors import failure_of_storage
from memkube.telemetry.measures import MOST_PENDING, RequestSeries
from memkube.telemetry.request_log import RequestLog
from memkube.time.request_context import ASKING, Asking

_NOTHING = Details()
NOT_FOUND_TEXT = "404 page not found\n"
_LOGGER = logging.getLogger("memkube")
_HINDERED: Lazy[Callable[[Handler, Scope], Awaitable[ASGIApp]]] = Lazy(
    "memkube.endpoints.filters.request_faults:hindered"
)
"""Imported when there is a fault."""
_TRACE: Lazy[Callable[[ApiRequest, int, float], None]] = Lazy("memkube.endpoints.filters.slow_requests:trace")
"""Imported when a request takes long."""


class RestApplication:
    """Serves every address of the catalog below ``/api`` and ``/apis``."""

    def __init__(self, parts: EndpointParts, log: RequestLog, seconds: float, seats: AllSeats) -> None:
        """`seconds` is how long a request may take that is no watch and no stream."""
        self._registry = registry = parts.registry
        self._seats = seats
        self._slow = log.options.slow_seconds or inf
        self._seconds = seconds
        self._generation = registry.catalog.generation
        self._has_siblings = parts.leader is not None
        self._encodings = Encodings()
        self.log = log
        self._measures = parts.measures
        self._definitions = parts.definitions
        self._routes: dict[Shape, tuple[Route, Resource, RequestSeries]] = {}
        """What has been found in this generation of the catalog; there are only so many shapes that lead anywhere."""

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one request; what is refused becomes a Status, what fails a Status and a line in the log."""
        request = ApiRequest(scope, receive)
        log = request.log = self.log
        arrived = request.arrived = monotonic()
        warnings: list[str] = []
        log.under_way.add(request)
        code = size = 0
        try:
            try:
                response: ASGIApp = await self._answer(request, arrived, warnings)
            except TooManyRequests:
                response = turned_away()
            except MalformedRequest as error:
                response = text_response(error.text, error.code)
            except NoneAvailable as error:
                note_refusal(request.record, error)
                response = refused(request, error)
            except ApiError as error:
                note_refusal(request.record, error)
                response = refused(request, error, (*warnings, *error.warnings))
            except ConnectionDropped:
                raise
            except Exception as error:
                failure = failure_of_storage(error)
                if failure is None:
                    _log_failure(request, error)
                    failure = internal_error(f"{type(error).__name__}: {error}")
                note_refusal(request.record, failure)
                response = refused(request, failure)
            # Applications that speak with an upgraded connection have none.
            code = getattr(response, "status_code", SWITCHED)
            size = getattr(response, "size", 0)
            if request.noted is not None:
                request.noted.code = code
            await response(scope, receive, send)
        finally:
            self._end(request, code, size, warnings)

    def _end(self, request: ApiRequest, code: int, size: int, warnings: list[str]) -> None:
        """Logs and counts a request that has been answered; one whose connection was dropped instead has no code."""
        seats, agent = request.seats, request.user_agent
        if seats is not None:
            seats.holders.discard(request)
            if seats.queues:
                seats.call()
        if request.noted is not None or warnings:
            record = request.record
            record.code, record.answered, record.warnings = code, request.answered, warnings
            ended = self.log.end(request)
        else:
            facts = request.method, request.user, request.arrived, code, request.answered
            query = request.scope["query_string"]
            ended = self.log.end_plain(request, request.path, query, agent, facts)
        seconds, series = ended - request.arrived, request.series
        if seconds > self._slow and code:
            _TRACE.load()(request, code, ended)
        if request.asking is not None:
            if series is not None and code and (spared := request.asking.spared):
                series.spare(seconds, spared)
            request.asking.end()
        if series is not None and code:
            series.pending.append((code, seconds, size, client_of(agent) if agent.startswith(b"kube-") else ""))
            if len(series.pending) >= MOST_PENDING:
                series.settle()

    async def _answer(self, request: ApiRequest, arrived: float, warnings: list[str]) -> ASGIApp:
        """Raises ApiError and MalformedRequest."""
        address = parse_address(request.path)
        if self._has_siblings and address is not None:
            await self._catch_up(address)
        if address is not None and address.watch:
            check_watched(address, request.scope)
        if address is None or not self._registry.catalog.has_group(address.group):
            return text_response(NOT_FOUND_TEXT, 404)
        check_escapes(request.scope)
        watches, lasts = asks_to_watch(request, address), address.subresource in LASTING
        seats = request.seats = self._seats.of(request.method, watches=watches, lasts=lasts)
        if not seats.take(request):
            await self._wait_for_seat(request, seats, address, watches=watches)
        deadline = None if watches or lasts else self._deadline(request, arrived)
        try:
            route, resource, series = self._route(request.method, address)
        except ApiError as error:
            if error.code != NOWHERE or error.details != _NOTHING or not self._is_custom(address.group):
                raise
            return text_response(NOT_FOUND_TEXT, 404)
        self._count_among(request, series, route.verb, watches=watches)
        if resource.deprecation:
            warnings.append(resource.deprecation)
        if route.verb == "patch":
            check_patch_type(request.header(b"content-type"), resource)
        representation = _negotiated(request, route, route.restrictions, watches=watches)
        if representation.media_type is PROTOBUF and not (representation.kind or has_messages(resource)):
            restrictions = route.restrictions.without_messages()
            representation = _negotiated(request, route, restrictions, watches=watches)
        representation = representation.laid_out(request.pretty)
        store = self._registry.subresource_store(resource, route.subresource)
        found = Scope(
            request,
            self._registry,
            self._measures,
            address,
            store.resource,
            store,
            representation,
            self._encodings,
            route.subresource,
            warnings,
            deadline,
        )
        handler = route.handler
        if self._registry.faults.present:
            handler = partial(_HINDERED.load(), handler)
        response = await (handler(found) if deadline is None else in_time(handler, found, deadline))
        if request.asking is not None and request.asking.steps:
            request.asking.step("answer encoded")
        return response

    async def _catch_up(self, address: Address) -> None:
        """Waits a moment for a kind that another server on the same storage has been told of."""
        group, version, plural = address.group, address.version, address.resource
        if "." in group and plural and self._registry.catalog.find(group, version, plural) is None:
            definitions = self._definitions()
            if definitions is not None:
                await definitions.caught_up(group, plural)

    def _count_among(self, request: ApiRequest, series: RequestSeries, verb: str, *, watches: bool) -> None:
        """Decides what a request is counted among, and lets those know of it who are far from it."""
        request.series = series
        # A GET of one object is over too soon for anybody to ask.
        if verb != "get" or request.scope["query_string"]:
            request.series = series_of(request, series, self._measures, watches=watches)
            asking = request.asking = request.asking or Asking(request)
            ASKING.set(asking)

    async def _wait_for_seat(self, request: ApiRequest, seats: Seats, address: Address, *, watches: bool) -> None:
        """Raises TooManyRequests, and counts that."""
        began = monotonic()
        try:
            await seats.wait(request)
            request.asking = Asking(request)
            request.asking.waited = monotonic() - began
            request.asking.step("seat found")
        except TooManyRequests:
            series = self._measures.of(labels_of(request.method, address))
            series_of(request, series, self._measures, watches=watches).turn_away(429)
            raise

    def _deadline(self, request: ApiRequest, arrived: float) -> float | None:
        """Until when there has to be an answer; reads that nobody hurries wait for nothing. Raises ApiError 400."""
        asked = requested_seconds(request)
        if asked <= 0 and request.method == "GET":
            return None
        return arrived + (min(asked, self._seconds) if asked > 0 else self._seconds)

    def _route(self, method: str, address: Address) -> tuple[Route, Resource, RequestSeries]:
        catalog = self._registry.catalog
        if self._generation != catalog.generation:
            self._generation = catalog.generation
            self._routes.clear()
            self._encodings = Encodings()
        shape = shape_of(method, address)
        found = self._routes.get(shape)
        if found is None:
            series = self._measures.of(labels_of(method, address))
            found = self._routes[shape] = *route_to(catalog, method, address), series
        return found

    def _is_custom(self, group: str) -> bool:
        """Whether a group is one of custom kinds: nobody who writes a Status is asked for what is not there."""
        return any(resource.structural is not None for resource in self._registry.catalog if resource.group == group)


def _negotiated(request: ApiRequest, route: Route, restrictions: Restrictions, *, watches: bool) -> Representation:
    """Raises ApiError 406."""
    accept = request.accept
    if watches and route.lists:
        return negotiate_watch(accept, restrictions)
    if route.verb != "connect":
        return negotiate(accept, collection=route.lists, restrictions=restrictions)
    produces = route.subresource.produces if isinstance(route.subresource, ConnectSubresource) else ()
    return negotiate(accept, text=produces, restrictions=restrictions) if produces else PLAIN


def _log_failure(request: ApiRequest, error: Exception) -> None:
    """Tells the operator, with a traceback; clients see a Status."""
    from memkube.endpoints.filters.slow_requests import FIELDS, fields_of  # noqa: PLC0415  it happens seldom

    about = request.method, request.path, request.user
    _LOGGER.error("%s %s by %s failed", *about, exc_info=error, extra={FIELDS: fields_of(request)})
