"""Serves requests for resources: applies limits and deadlines, finds the endpoint, and negotiates formats.

The endpoint of a request is found among the declared routes. It is cached for requests that differ only in names.
"""

import logging
from collections.abc import Sequence
from functools import partial
from math import inf
from time import monotonic
from typing import Final, NamedTuple, TypeAlias

from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from memkube.apimachinery.errors import ApiError, Details, bad_request, internal_error, method_not_supported, not_found
from memkube.endpoints.auditing.trail import DEPRECATED
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
from memkube.endpoints.handlers.deadlines import in_time
from memkube.endpoints.handlers.resource_request import Endpoint, ResourceRequest
from memkube.endpoints.parts import EndpointParts
from memkube.endpoints.requests.api_request import (
    LASTING,
    Address,
    asks_to_watch,
    audit_trail,
    parse_address,
    requested_seconds,
)
from memkube.endpoints.requests.negotiation import (
    NOT_TABULAR,
    PLAIN,
    PROTOBUF,
    UNRESTRICTED,
    Representation,
    Restrictions,
    RouterRefusal,
    negotiate,
    negotiate_watch,
)
from memkube.endpoints.responses.encodings import Encodings
from memkube.endpoints.responses.messages import has_messages
from memkube.endpoints.responses.responses import NOT_FOUND_TEXT, generic_refusal, refused, text_response
from memkube.endpoints.routers.api_route import ResourceRoute
from memkube.endpoints.routers.objects import check_patch_type
from memkube.faults.active import ConnectionDropped
from memkube.registry.declarations.resource import ConnectSubresource, Resource, Subresource
from memkube.registry.registry import Registry
from memkube.registry.storage_errors import failure_of_storage
from memkube.registry.store import Store
from memkube.telemetry.measures import MOST_PENDING, Measures, RequestSeries
from memkube.time.request_context import REQUEST_CONTEXT, RequestContext

NOWHERE: Final = 404
_VERBS: Final = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_Shape: TypeAlias = tuple[str, str, str, str, str, bool, bool, bool, bool]
_NO_DETAILS: Final = Details()
_LOGGER: Final = logging.getLogger("memkube")


class Target(NamedTuple):
    """Result of routing a request: the endpoint, the resource, and the representations that the path offers."""

    endpoint: Endpoint
    verb: str
    """Verb as in kube-apiserver's RequestInfo, such as ``deletecollection``, but ``list`` for watches as well."""
    resource: Resource
    store: Store
    """Store that reads and writes the objects. For a subresource such as ``scale``, it converts them to the
    subresource's kind."""
    subresource: Subresource | None
    restrictions: Restrictions
    """The media types and conversions that the path offers."""
    series: RequestSeries
    """The series of the request metrics for this method and path."""


class RouteCache:
    """Finds the Target of a request. Targets are cached until the served resources change.

    Requests with the same method and path, apart from names in the path, share a Target. If the paths of several routes
    match, the first path is used, and its routes decide which methods are allowed (as in go-restful). The paths of
    `routes` are relative to a group and version.
    """

    def __init__(self, routes: Sequence[BaseRoute], registry: Registry, measures: Measures) -> None:
        self._routes = [route for route in routes if isinstance(route, ResourceRoute)]
        self._registry = registry
        self._measures = measures
        self._targets: dict[_Shape, Target] = {}
        registry.catalog.on_change(self._targets.clear)

    def find(self, request: ResourceRequest) -> Target:
        """Return the Target of a request.

        Raises ApiError 404 for an unknown path, and 405 for a method without a route.
        """
        address = request.address
        shape = (
            request.method,
            address.group,
            address.version,
            address.resource,
            address.subresource,
            bool(address.namespace),
            bool(address.name),
            bool(address.rest),
            address.watch,
        )
        target = self._targets.get(shape)
        if target is None:
            # Errors are not cached: clients could fill the cache with unknown paths.
            target = self._targets[shape] = self._resolve(request, address)
        return target

    def _resolve(self, request: ResourceRequest, address: Address) -> Target:
        resource = self._registry.catalog.find(address.group, address.version, address.resource)
        if resource is None or (address.namespace and not resource.namespaced):
            raise generic_refusal(404)
        path, method = request.path, request.method
        asked = method
        if is_custom := resource.structural is not None:
            path = _custom_path(request, address, resource)
            asked = "GET" if method == "HEAD" or address.watch else method
        routes = self._routes_of(path, address)
        route = next((route for route in routes if asked in (route.methods or ())), None)
        verb = "" if route is None else route.name
        subresource, tabular = None, True
        if address.watch and not (address.subresource and is_custom):
            _check_watch(address, resource)
            allowed = verb == "watch"
        elif address.subresource:
            subresource = _subresource(address, resource)
            tabular = subresource.tabular
            allowed = verb in subresource.verbs
            if isinstance(subresource, ConnectSubresource) or verb == "connect":
                allowed = isinstance(subresource, ConnectSubresource) and verb == "connect"
        else:
            tabular = resource.keeps_objects
            allowed = _is_allowed(verb, [route.name for route in routes], address, resource)
        if route is None or not allowed:
            raise _not_supported(method, address, resource) if is_custom else generic_refusal(405)
        return Target(
            route.endpoint,
            "list" if verb == "watch" else verb,
            resource,
            self._registry.subresource_store(resource, subresource),
            subresource,
            UNRESTRICTED if tabular else NOT_TABULAR,
            self._measures.of(labels_of(method, address)),
        )

    def _routes_of(self, path: str, address: Address) -> list[ResourceRoute]:
        """Return the routes of the first declared path that matches. These routes differ in their methods."""
        root = f"/apis/{address.group}/{address.version}" if address.group else f"/api/{address.version}"
        scope = {"type": "http", "method": "GET", "path": path, "root_path": root}
        first = next((route for route in self._routes if route.matches(scope)[0] is not Match.NONE), None)
        return [] if first is None else [route for route in self._routes if route.path == first.path]


def _custom_path(request: ResourceRequest, address: Address, resource: Resource) -> str:
    """Return the path whose route serves a request for a custom kind.

    kube-apiserver selects the operation on a custom kind only by the method: a POST to an object's path creates an
    object, a HEAD is a GET, and every method of a ``/watch/`` path is a watch (of all objects if the namespace is
    missing). Segments of the path after the subresource are ignored.

    If the path of a PUT or PATCH has no name, raises ApiError 400, or 415 if the media type of the patch is unknown.
    """
    path, method = request.path, request.method
    if address.watch and address.name and resource.namespaced and not address.namespace:
        return path.rstrip("/").rpartition("/")[0]
    if address.subresource and address.rest:
        return path.rstrip("/").rsplit("/", address.rest.count("/") + 1)[0]
    if address.subresource or address.watch or (resource.namespaced and not address.namespace):
        return path
    if method == "POST" and address.name:
        return path.rstrip("/").rpartition("/")[0]
    if method in ("PUT", "PATCH") and not address.name:
        raise _with_deprecation(_nameless(request, resource), resource)
    return path


def _nameless(request: ResourceRequest, resource: Resource) -> ApiError:
    """Return the error for a PUT or PATCH of a custom kind whose path has no name. The media type is checked first."""
    try:
        if request.method == "PATCH":
            check_patch_type(request.header(b"content-type"), resource)
    except ApiError as error:
        return error
    return bad_request("name must be provided")


def _not_supported(method: str, address: Address, resource: Resource) -> ApiError:
    """Return kube-apiserver's 405 error for a method that a custom kind does not support."""
    verb = "watch" if address.watch else _VERBS.get(method, "")
    verb = "deletecollection" if verb == "delete" and not address.name else verb
    return _with_deprecation(method_not_supported(resource.group_resource, verb), resource)


def _with_deprecation(error: ApiError, resource: Resource) -> ApiError:
    """Add the deprecation warning of a custom kind's version to an error, as kube-apiserver does for all errors."""
    error.warnings = (resource.deprecation,) if resource.deprecation else ()
    return error


def _check_watch(address: Address, resource: Resource) -> None:
    """Raise ApiError 404 if a deprecated ``/watch/`` path names neither a collection nor an object to watch."""
    misplaced = resource.structural is None and resource.namespaced and not address.namespace and address.name
    if misplaced or address.subresource or "watch" not in resource.verbs:
        raise generic_refusal(404)


def _subresource(address: Address, resource: Resource) -> Subresource:
    """Return the subresource that the path names.

    Raises ApiError 404 if the resource does not have this subresource at this path.
    """
    subresource = resource.subresource(address.subresource)
    misplaced = resource.namespaced and not address.namespace
    has_path = isinstance(subresource, ConnectSubresource) and subresource.has_path
    if subresource is None and resource.structural is not None and not misplaced:
        raise _with_deprecation(not_found(resource.group_resource, address.name), resource)
    if subresource is None or misplaced or (address.rest and not has_path and resource.structural is None):
        raise generic_refusal(404)
    return subresource


def _is_allowed(verb: str, declared: Sequence[str], address: Address, resource: Resource) -> bool:
    """Return True if the resource supports the verb at this path.

    `declared` are the verbs of all routes of the path. Raises ApiError 404 if the resource supports none of them. At a
    path without a namespace, a namespaced resource can only be listed: other verbs raise ApiError, with 404 or 405.
    """
    everywhere = resource.namespaced and not address.namespace
    misplaced = everywhere and (address.name or "list" not in resource.verbs)
    if misplaced or not any(one in resource.verbs for one in declared):
        raise generic_refusal(404)
    if everywhere and verb != "list":
        # A namespaced resource can only be listed at a path without a namespace. kube-apiserver answers all other
        # methods with 404 for custom kinds and 405 for built-in kinds.
        raise generic_refusal(NOWHERE if resource.structural is not None else 405)
    return verb in resource.verbs


class ResourceApplication:
    """The ASGI application for the paths of resources: all paths below a group and version."""

    def __init__(self, parts: EndpointParts, routes: RouteCache, seconds: float, seats: AllSeats) -> None:
        """Create the application. `seconds` is the timeout of requests, except for watches and streams.

        `parts` are the server's objects, such as the registry. `routes` finds the endpoint of a request, and `seats`
        limits how many requests run at the same time.
        """
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
        """Answer one request for a resource.

        An ApiError of the endpoint becomes a Status. Any other exception is logged and becomes a Status with code 500.
        """
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
            except RouterRefusal as error:
                request.deprecation, request.series = "", None
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
            # The response of an upgraded connection has no attribute status_code: its status is 101.
            code = getattr(response, "status_code", SWITCHED)
            size = getattr(response, "size", 0)
            if request.noted is not None:
                request.noted.code = code
            if request.deprecation and (trail := audit_trail(scope)) is not None:
                trail.annotate({DEPRECATED: "true"})
            await response(scope, receive, send)
        finally:
            self._end(request, code, size)

    def _end(self, request: ResourceRequest, code: int, size: int) -> None:
        """Log and count a request that has ended, and free its seat.

        `code` is the status of the response, or 0 if a fault dropped the connection without a response. `size` is the
        length of the response's body in bytes.
        """
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
        """Find the endpoint of a request, and return its response.

        Raises ApiError if the request is rejected.
        """
        address = parse_address(request.path)
        if self._has_siblings and address is not None:
            await self._catch_up(address)
        if address is None or address.group not in self._registry.catalog.groups:
            return text_response(NOT_FOUND_TEXT, 404)
        request.address = address
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
            request.deprecation = resource.deprecation
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
        """Discard the shared encoded objects, because the served resources have changed.

        Some of them depend on the declaration of a kind, which may have changed.
        """
        self._encodings = Encodings()

    async def _catch_up(self, address: Address) -> None:
        """Wait until this server serves the custom kind that a path names.

        Another server on the same storage may have just created the kind's definition.
        """
        group, version, plural = address.group, address.version, address.resource
        if "." in group and plural and self._registry.catalog.find(group, version, plural) is None:
            definitions = self._definitions()
            if definitions is not None:
                await definitions.caught_up(group, plural)

    def _count_among(self, request: ResourceRequest, target: Target, *, watches: bool) -> None:
        """Choose the metric series that counts the request, and give the current task a RequestContext.

        `target` is the result of routing the request, and `watches` is True if it is a watch.
        """
        request.series = target.series
        # A GET of one object calls nothing that uses the RequestContext, so none is created for it.
        if target.verb != "get" or request.scope["query_string"]:
            request.series = series_of(request, target.series, self._measures, watches=watches)
            context = request.context = request.context or RequestContext(request)
            REQUEST_CONTEXT.set(context)

    async def _wait_for_seat(self, request: ResourceRequest, seats: Seats, *, watches: bool) -> None:
        """Wait until the limit of concurrent requests `seats` allows the request to run.

        Raises TooManyRequests if the request would wait too long, after counting it in the metrics. `watches` is True
        for a watch.
        """
        began = monotonic()
        try:
            await seats.wait(request)
            request.context = RequestContext(request)
            request.context.waited = monotonic() - began
            request.context.step("seat found")
        except TooManyRequests:
            series = self._measures.of(labels_of(request.method, request.address))
            series_of(request, series, self._measures, watches=watches).count_rejection(429)
            raise

    def _deadline(self, request: ResourceRequest) -> float | None:
        """Return the time at which the request times out, as a value of ``time.monotonic``.

        Returns None for a GET without the parameter ``timeout``. Raises ApiError 400 if the parameter is malformed.
        """
        asked = requested_seconds(request)
        if asked <= 0 and request.method == "GET":
            return None
        return request.arrived + (min(asked, self._seconds) if asked > 0 else self._seconds)

    def _is_custom(self, group: str) -> bool:
        """Return True if the group has custom kinds.

        For unknown paths in such a group, the 404 response is text instead of a Status.
        """
        return any(resource.structural is not None for resource in self._registry.catalog if resource.group == group)


def _negotiated(
    request: ResourceRequest, target: Target, restrictions: Restrictions, *, watches: bool
) -> Representation:
    """Choose the representation of the response by the request's Accept header.

    `target` is the result of routing the request, `restrictions` has the representations that the path offers, and
    `watches` is True for a watch. Raises ApiError 406 if the client accepts none of these representations.
    """
    accept, lists, is_custom = request.accept, target.verb == "list", target.resource.structural is not None
    if watches and lists:
        return negotiate_watch(accept, restrictions, is_custom=is_custom)
    if target.verb != "connect":
        return negotiate(accept, collection=lists, restrictions=restrictions, is_custom=is_custom)
    produces = target.subresource.produces if isinstance(target.subresource, ConnectSubresource) else ()
    return negotiate(accept, text=produces, restrictions=restrictions) if produces else PLAIN


def _log_failure(request: ResourceRequest, error: Exception) -> None:
    """Log an unexpected exception with its traceback. The client gets a Status without the traceback."""
    about = request.method, request.path, request.user
    _LOGGER.error("%s %s by %s failed", *about, exc_info=error, extra={FIELDS: fields_of(request)})
