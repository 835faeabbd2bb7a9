"""Serves requests for resources, from arrival to request log: seat, deadline, route, negotiation and answer."""

import logging
from functools import partial
from math import inf
from time import monotonic
from typing import Final

from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from memkube.apimachinery.errors import ApiError, Details, internal_error
from memkube.endpoints.filters.deadlines import in_time
from memkube.endpoints.filters.http_faults import answer_with_faults
from memkube.endpoints.filters.recording import (
    FIELDS,
    SWITCHED,
    client_of,
    fields_of,
    labels_of,
    note_refusal,
    series_of,
    trace,
)
from memkube.endpoints.filters.seats import AllSeats, Seats, TooManyRequests, too_many_requests
from memkube.endpoints.handlers.resource_request import ResourceRequest
from memkube.endpoints.parts import EndpointParts
from memkube.endpoints.requests.address import Address, MalformedRequest, check_escapes, check_watched, parse_address
from memkube.endpoints.requests.api_request import LASTING, asks_to_watch, requested_seconds
from memkube.endpoints.requests.negotiation import (
    PLAIN,
    PROTOBUF,
    NoneAvailable,
    Representation,
    Restrictions,
    negotiate,
    negotiate_watch,
)
from memkube.endpoints.responses.encodings import Encodings
from memkube.endpoints.responses.messages import has_messages
from memkube.endpoints.responses.responses import NOT_FOUND_TEXT, refused, text_response
from memkube.endpoints.routers.objects import check_patch_type
from memkube.endpoints.routers.route_cache import NOWHERE, RouteCache, Target
from memkube.faults.active import ConnectionDropped
from memkube.registry.declarations.resource import ConnectSubresource
from memkube.registry.storage_errors import failure_of_storage
from memkube.telemetry.measures import MOST_PENDING
from memkube.time.request_context import REQUEST_CONTEXT, RequestContext

_NO_DETAILS: Final = Details()
_LOGGER: Final = logging.getLogger("memkube")


class ResourceApplication:
    """An ASGI application for all paths of resources, that is below a group and version."""

    def __init__(self, parts: EndpointParts, routes: RouteCache, seconds: float, seats: AllSeats) -> None:
        """`seconds` is the longest time that a request may take, unless it is a watch or a stream."""
        self._registry = registry = parts.registry
        self._routes = routes
        self._seats = seats
        self._log = parts.request_log
        self._slow = self._log.options.slow_seconds or inf
        self._seconds = seconds
        self._has_siblings = parts.leader is not None
        self._measures = parts.measures
        self._definitions = parts.definitions
        self._encodings = Encodings()
        registry.catalog.on_change(self._drop_encodings)

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answer one request. An ApiError becomes a Status; any other exception becomes a 500 Status and is logged."""
        request = ResourceRequest(scope, receive, self._registry, self._measures)
        log = request.log = self._log
        request.arrived = monotonic()
        log.under_way.add(request)
        code = size = 0
        try:
            try:
                response: ASGIApp = await self._answer(request)
            except TooManyRequests:
                response = too_many_requests()
            except MalformedRequest as error:
                response = text_response(error.text, error.code)
            except NoneAvailable as error:
                note_refusal(request.record, error)
                response = refused(request, error)
            except ApiError as error:
                note_refusal(request.record, error)
                response = refused(request, error, (*request.warnings, *error.warnings))
            except ConnectionDropped:
                raise
            except Exception as error:
                failure = failure_of_storage(error)
                if failure is None:
                    _log_failure(request, error)
                    failure = internal_error(f"{type(error).__name__}: {error}")
                note_refusal(request.record, failure)
                response = refused(request, failure)
            # The response of an upgraded connection is an ASGI application without a status attribute.
            code = getattr(response, "status_code", SWITCHED)
            size = getattr(response, "size", 0)
            if request.noted is not None:
                request.noted.code = code
            await response(scope, receive, send)
        finally:
            self._end(request, code, size)

    def _end(self, request: ResourceRequest, code: int, size: int) -> None:
        """Log and count an answered request. `code` is 0 if a fault dropped the connection instead."""
        seats, agent = request.seats, request.user_agent
        if seats is not None:
            seats.holders.discard(request)
            if seats.queues:
                seats.call()
        if request.noted is not None or request.warnings:
            record = request.record
            record.code, record.answered, record.warnings = code, request.answered, request.warnings
            ended = self._log.end(request)
        else:
            facts = request.method, request.user, request.arrived, code, request.answered
            query = request.scope["query_string"]
            ended = self._log.end_plain(request, request.path, query, agent, facts)
        seconds, series = ended - request.arrived, request.series
        if seconds > self._slow and code:
            trace(request, code, ended)
        context = request.context
        if context is not None:
            if series is not None and code and (external := context.external_seconds):
                series.spare(seconds, external)
            context.end()
        if series is not None and code:
            series.pending.append((code, seconds, size, client_of(agent) if agent.startswith(b"kube-") else ""))
            if len(series.pending) >= MOST_PENDING:
                series.settle()

    async def _answer(self, request: ResourceRequest) -> ASGIApp:
        """Return the response of a request's endpoint.

        Raises ApiError if the request is refused, and MalformedRequest if its path is malformed.
        """
        address = parse_address(request.path)
        if self._has_siblings and address is not None:
            await self._catch_up(address)
        if address is not None and address.watch:
            check_watched(address, request.scope)
        if address is None or address.group not in self._registry.catalog.groups:
            return text_response(NOT_FOUND_TEXT, 404)
        request.address = address
        check_escapes(request.scope)
        watches, lasts = asks_to_watch(request, address), address.subresource in LASTING
        seats = request.seats = self._seats.of(request.method, watches=watches, lasts=lasts)
        if not seats.take(request):
            await self._wait_for_seat(request, seats, watches=watches)
        deadline = request.deadline = None if watches or lasts else self._deadline(request)
        try:
            target = self._routes.find(request)
        except ApiError as error:
            if error.code != NOWHERE or error.details != _NO_DETAILS or not self._is_custom(address.group):
                raise
            return text_response(NOT_FOUND_TEXT, 404)
        self._count_among(request, target, watches=watches)
        resource = target.resource
        if resource.deprecation:
            request.warnings.append(resource.deprecation)
        if target.verb == "patch":
            check_patch_type(request.header(b"content-type"), resource)
        representation = _negotiated(request, target, target.restrictions, watches=watches)
        if representation.media_type is PROTOBUF and not (representation.kind or has_messages(resource)):
            representation = _negotiated(request, target, target.restrictions.without_messages(), watches=watches)
        request.representation = representation.laid_out(request.pretty)
        request.subresource = target.subresource
        request.store, request.resource = target.store, target.store.resource
        request.encodings = self._encodings
        endpoint = target.endpoint
        if self._registry.faults.present:
            endpoint = partial(answer_with_faults, endpoint)
        response = await (endpoint(request) if deadline is None else in_time(endpoint, request, deadline))
        if request.context is not None and request.context.steps:
            request.context.step("answer encoded")
        return response

    def _drop_encodings(self) -> None:
        """Replace the shared encodings.

        They may depend on the declaration of a kind, which has changed in the catalog.
        """
        self._encodings = Encodings()

    async def _catch_up(self, address: Address) -> None:
        """Wait until this server serves a custom kind that another server on the same storage has just defined."""
        group, version, plural = address.group, address.version, address.resource
        if "." in group and plural and self._registry.catalog.find(group, version, plural) is None:
            definitions = self._definitions()
            if definitions is not None:
                await definitions.caught_up(group, plural)

    def _count_among(self, request: ResourceRequest, target: Target, *, watches: bool) -> None:
        """Choose the metrics that count the request, and set the RequestContext of the current task."""
        request.series = target.series
        # Nothing that a GET of one object calls needs the RequestContext, so it is not made.
        if target.verb != "get" or request.scope["query_string"]:
            request.series = series_of(request, target.series, self._measures, watches=watches)
            context = request.context = request.context or RequestContext(request)
            REQUEST_CONTEXT.set(context)

    async def _wait_for_seat(self, request: ResourceRequest, seats: Seats, *, watches: bool) -> None:
        """Wait until the request has a seat. Raises TooManyRequests, and counts the refusal."""
        began = monotonic()
        try:
            await seats.wait(request)
            request.context = RequestContext(request)
            request.context.waited = monotonic() - began
            request.context.step("seat found")
        except TooManyRequests:
            series = self._measures.of(labels_of(request.method, request.address))
            series_of(request, series, self._measures, watches=watches).turn_away(429)
            raise

    def _deadline(self, request: ResourceRequest) -> float | None:
        """Return the time of ``time.monotonic`` by which to answer; None for a GET without a timeout.

        Raises ApiError 400 for a malformed ``timeout`` parameter.
        """
        asked = requested_seconds(request)
        if asked <= 0 and request.method == "GET":
            return None
        return request.arrived + (min(asked, self._seconds) if asked > 0 else self._seconds)

    def _is_custom(self, group: str) -> bool:
        """Return True if the group has custom kinds. Unknown paths in such groups are answered without a Status."""
        return any(resource.structural is not None for resource in self._registry.catalog if resource.group == group)


def _negotiated(
    request: ResourceRequest, target: Target, restrictions: Restrictions, *, watches: bool
) -> Representation:
    """Return the representation of the answer that the Accept header asks for. Raises ApiError 406 if there is none."""
    accept, lists, is_custom = request.accept, target.verb == "list", target.resource.structural is not None
    if watches and lists:
        return negotiate_watch(accept, restrictions, is_custom=is_custom)
    if target.verb != "connect":
        return negotiate(accept, collection=lists, restrictions=restrictions, is_custom=is_custom)
    produces = target.subresource.produces if isinstance(target.subresource, ConnectSubresource) else ()
    return negotiate(accept, text=produces, restrictions=restrictions) if produces else PLAIN


def _log_failure(request: ResourceRequest, error: Exception) -> None:
    """Log an unexpected exception with its traceback; the client gets a Status without one."""
    about = request.method, request.path, request.user
    _LOGGER.error("%s %s by %s failed", *about, exc_info=error, extra={FIELDS: fields_of(request)})
