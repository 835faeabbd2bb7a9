"""The API server as a FastAPI application: filters through which all requests pass, and the routers."""

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from random import getrandbits
from typing import Final, NamedTuple, Protocol, TypeAlias

from fastapi import APIRouter, FastAPI
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Router
from starlette.types import ASGIApp, Lifespan, Message, Receive, Scope, Send

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.random_values import written_uuid
from memkube.apimachinery.shown_values import quoted
from memkube.auth.authentication.kubeconfig_token import with_bearer_token
from memkube.auth.impersonation import Impersonated, Impersonation, impersonated_user, rights_to_impersonate
from memkube.endpoints.aggregation.leader_proxy import LeaderProxy
from memkube.endpoints.aggregation.proxy import Proxy
from memkube.endpoints.auditing.trail import DECISION, REASON, authentication_attempts
from memkube.endpoints.filters.authorization import Authorization
from memkube.endpoints.filters.impersonation import IMPERSONATE, wanted_user
from memkube.endpoints.filters.limits import RequestLimits
from memkube.endpoints.filters.origins import HOST, ORIGIN, Origins
from memkube.endpoints.filters.read_only import ReadOnly
from memkube.endpoints.filters.recording import Recorded, refuse_and_record
from memkube.endpoints.filters.seats import AllSeats, ShuttingDown
from memkube.endpoints.flow_control.classification import FlowClass
from memkube.endpoints.flow_control.classifier import FlowClassifier
from memkube.endpoints.parts import EndpointParts
from memkube.endpoints.requests.api_request import (
    LASTING,
    OF_PAGE,
    ApiRequest,
    audit_trail,
    ends_with_verb,
    has_bad_escape,
    is_lasting,
    parse_address,
    request_uri,
    requested_seconds,
)
from memkube.endpoints.requests.request_attributes import attributes_of
from memkube.endpoints.responses.responses import NOT_FOUND_TEXT, refused_access, text_response, warning_headers
from memkube.endpoints.routers import namespaces, objects, subresources, watches
from memkube.endpoints.routers.discovery import discovery_router
from memkube.endpoints.routers.flow_control_dumps import flow_control_router
from memkube.endpoints.routers.health import Checks, health_router
from memkube.endpoints.routers.index import index_router
from memkube.endpoints.routers.metrics import metrics_router
from memkube.endpoints.routers.metrics_apis import GROUPS, metrics_apis_router
from memkube.endpoints.routers.openapi import openapi_router
from memkube.endpoints.routers.openid import openid_router
from memkube.endpoints.routers.resources import ResourceApplication, RouteCache
from memkube.endpoints.routers.version import version_router
from memkube.endpoints.transport import CLIENT_CERTIFICATES, WHOLE
from memkube.registry.declarations.authorization import unlike_html
from memkube.registry.declarations.delegation import Delegate
from memkube.registry.declarations.request_options import NOBODY, Impersonator, User
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry

_LOGGER: Final = logging.getLogger("memkube")
_AUDIT_ID: Final = b"audit-id"
_WARNING: Final = b"warning"
_NOT_CACHED: Final = (b"cache-control", b"no-cache, private")
_STARTS: Final = frozenset({WHOLE, "http.response.start", "websocket.http.response.start"})
_PROXY: Final = "proxy"
_WATCH: Final = "watch"
_FLOW_CONTROL: Final = "flowcontrol.apiserver.k8s.io"
_MOST_CLASSES: Final = 4096
_Question: TypeAlias = tuple[str, str, str, tuple[str, ...]]
_COUNTER_DIGITS: Final = 12
"""Number of hexadecimal digits at the end of an audit id that are a counter of the requests."""
_IGNORED_CREDENTIALS: Final = (
    "ignoring credentials sent by a client that are not valid: authentication is off, so the client is "
    "system:anonymous and may do anything"
)
_PREFLIGHT: Final = Response(status_code=204)
"""Response to a preflight request (CORS), which a browser sends before a request for a page of another site."""
_MALFORMED: Final = PlainTextResponse("400 Bad Request", 400, {"connection": "close"})
"""Response to a request with a malformed path, as Go's server sends it before kube-apiserver sees the request."""
_API: Final = ("/api/", "/apis/")
"""Beginnings of the paths of resources, which are never paths of the web page."""
_UNKNOWN: Final = User("", groups=())
"""User of a request whose credentials are invalid."""
_WAITING_SHARE: Final = 0.25
"""Fraction of its timeout for which a read or write can wait in a queue for a seat (``getRequestWaitContext``)."""


class Filters:
    """The outermost filter: sets the user of a request (``scope["user"]``), and adds headers to its response.

    Inner filters append response headers to ``scope["added_headers"]``.
    """

    def __init__(self, app: ASGIApp, parts: EndpointParts) -> None:
        self._app = app
        self._origins = Origins(parts.origins)
        self._impersonation = None if parts.authorizer is None else Impersonation(parts.authorizer)
        self._authenticator = parts.authenticator
        self._auditor = parts.auditor
        self._log = parts.request_log
        self._saw_credentials = False
        # Audit ids are not secrets, so a fast source of random numbers is sufficient.
        self._audit_ids = written_uuid(getrandbits(128))[:-_COUNTER_DIGITS].encode()
        self._numbers = count(getrandbits(32))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Identify the user of a request, and pass the request to the application.

        A request is rejected if it comes from a page of a site that is not allowed, or if its credentials or
        impersonation are invalid. Preflight requests (CORS) are answered here.
        """
        given_id, impersonates, has_credentials, is_checked = self._seen(scope["headers"])
        scope["audit_id"] = audit_id = given_id or b"%b%012x" % (self._audit_ids, next(self._numbers))
        added = scope["added_headers"] = [(_AUDIT_ID, audit_id)]

        def completed(message: Message) -> Awaitable[None]:
            if message["type"] in _STARTS:
                headers = message["headers"]
                for name, _ in headers:
                    if name == b"cache-control":
                        message["headers"] = [*added, *headers]
                        break
                else:
                    message["headers"] = [*added, _NOT_CACHED, *headers]
            return send(message)

        scope["user"] = NOBODY
        if ends_with_verb(scope["path"]):
            await self._refuse_path(scope, receive, send)
            return
        if b"timeout=" in scope["query_string"] and await self._refuses_timeout(scope, receive, completed):
            return
        try:
            if is_checked and await self._answers_page(scope, receive, completed):
                return
            if has_credentials or self._authenticator.is_required:
                added += await self._identify(scope, impersonates=impersonates)
        except ApiError as error:
            await self._refuse_early(error, authentication_attempts(scope), scope, receive, completed)
            return
        if impersonates or self._auditor is not None:
            await self._audited(scope, receive, completed, impersonates=impersonates)
        else:
            await self._app(scope, receive, completed)

    def _seen(self, headers: Iterable[tuple[bytes, bytes]]) -> tuple[bytes, bool, bool, bool]:
        """Return the audit id that the client sent in `headers` (empty if none), and three flags.

        The first flag is True if the client impersonates a user. The second is True if it sends credentials or
        impersonates a user. The third is True if Host and Origin have to be checked: because the request has an Origin,
        or because its Host has not been accepted before.
        """
        audit_id = b""
        impersonates = has_credentials = is_checked = False
        known_hosts = self._origins.known
        for name, value in headers:
            if name == _AUDIT_ID:
                audit_id = audit_id or value
            elif name.startswith(IMPERSONATE):
                impersonates = has_credentials = True
            elif name == b"authorization":
                has_credentials = True
            elif name == ORIGIN or (name == HOST and value not in known_hosts):
                is_checked = True
        return audit_id, impersonates, has_credentials, is_checked

    async def _answers_page(self, scope: Scope, receive: Receive, send: Send) -> bool:
        """Reject requests of pages whose origin is not allowed, and answer preflight requests of allowed pages (CORS).

        Return True if this method has sent a response. For all other requests, return False; the caller must answer
        them.
        """
        try:
            for_page = self._origins.check(scope["headers"])
        except ApiError as error:
            await refuse_and_record(ApiRequest(scope, receive), error, send, self._log)
            return True
        scope["added_headers"] += for_page
        if for_page and scope.get("method") == "OPTIONS":
            await _PREFLIGHT(scope, receive, send)
            return True
        return False

    async def _identify(self, scope: Scope, *, impersonates: bool) -> Sequence[tuple[bytes, bytes]]:
        """Set the user of a request from its credentials. Return headers with warnings about the credentials.

        The credentials are removed from the request's headers, so that inner filters and endpoints cannot see them. If
        `impersonates` is True, the token may be part of the impersonation headers, as memkube's kubeconfigs send it.
        """
        authenticator = self._authenticator
        if impersonates:
            scope["headers"] = with_bearer_token(scope["headers"])
        headers, chain = scope["headers"], scope.get("extensions", {}).get(CLIENT_CERTIFICATES, ())
        found = None if chain else authenticator.identify_static(headers)
        if found is None:
            is_websocket = scope["type"] == "websocket"
            found = await authenticator.identify(headers, chain, path=scope["path"], is_websocket=is_websocket)
        if found.is_rejected and not self._saw_credentials:
            self._saw_credentials = True
            _LOGGER.warning(_IGNORED_CREDENTIALS)
        scope["user"], scope["headers"] = found.user, found.headers
        if found.annotations:
            scope["audit_annotations"] = found.annotations
        return _warnings(found.warnings)

    async def _refuses_timeout(self, scope: Scope, receive: Receive, send: Send) -> bool:
        """If the query parameter ``timeout`` of a request is malformed, answer 400 and return True; otherwise, False.

        The parameter is not read for watches and streams.
        """
        request = ApiRequest(scope, receive)
        try:
            if not is_lasting(request):
                requested_seconds(request)
        except ApiError as error:
            await self._refuse_early(error, error.message, scope, receive, send)
            return True
        return False

    async def _refuse_path(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 500 before authentication to a request for which kube-apiserver finds no RequestInfo."""
        uri = request_uri(scope)
        why = f"failed to create RequestInfo: unable to determine kind and namespace from url, {uri}"
        text = f"Internal Server Error: {quoted(uri)}: {why}"
        error = ApiError(500, "InternalError", text)
        response = text_response(f"{unlike_html(text)}\n", 500)
        # Send no Cache-Control header: kube-apiserver responds before the filter that adds it.
        response.raw_headers.append((_AUDIT_ID, scope["audit_id"]))
        await refuse_and_record(ApiRequest(scope, receive), error, send, self._log, response)

    async def _refuse_early(self, error: ApiError, why: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with an error before its user is known. `why` is the message in its audit event."""
        request = ApiRequest(scope, receive)
        # The user is unknown, so rules of the audit policy about users and groups do not apply.
        attributes = attributes_of(request)._replace(user=_UNKNOWN)
        trail = None if self._auditor is None else self._auditor.trail_of(scope, attributes)
        if trail is not None:
            trail.refuse_early(why)
            send = trail.sending(send)
        await refuse_and_record(request, error, send, self._log)

    async def _audited(self, scope: Scope, receive: Receive, send: Send, *, impersonates: bool) -> None:
        """Pass a request, whose sender was identified, to the application, and write its audit events to the audit log.

        `impersonates` is True if the request has headers that impersonate another user.
        """
        request = ApiRequest(scope, receive)
        trail = None if self._auditor is None else self._auditor.trail_of(scope, attributes_of(request))
        if trail is None:
            await self._continue(scope, receive, send, impersonates=impersonates)
            return
        trail.annotate(scope.get("audit_annotations", {}))
        trail.begin()
        try:
            await self._continue(scope, receive, trail.sending(send), impersonates=impersonates)
        except BaseException as error:
            trail.end(error)
            raise
        trail.end()

    async def _continue(self, scope: Scope, receive: Receive, send: Send, *, impersonates: bool) -> None:
        """Pass a request to the application after its sender was identified.

        If the sender may not impersonate the user that the headers name, the request is rejected.
        """
        trail = audit_trail(scope)
        if impersonates:
            try:
                constraint = await self._impersonate(scope, receive)
            except ApiError as error:
                request = ApiRequest(scope, receive)
                await refuse_and_record(request, error, send, self._log, refused_access(request, error))
                return
            if trail is not None:
                trail.impersonated(scope["user"], constraint)
        if trail is not None and self._impersonation is None:
            trail.annotate({DECISION: "allow", REASON: ""})
        await self._app(scope, receive, send)

    async def _impersonate(self, scope: Scope, receive: Receive) -> str:
        """Set the user of a request to the user that its sender impersonates.

        Return the verb of constrained impersonation (KEP-5284) that allows the impersonation. It is empty if the sender
        may impersonate without constraints, or if the server allows every request. Raises ApiError 403 if the sender
        may not impersonate the user, and 400 if the headers name no user.
        """
        wanted, sender = wanted_user(scope["headers"]), scope["user"]
        if wanted is None:
            return ""
        if self._impersonation is None:
            found = Impersonated(impersonated_user(wanted))
        else:
            found = await self._impersonation.authorized(wanted, attributes_of(ApiRequest(scope, receive)))
        scope["user"] = replace(found.user, impersonator=Impersonator(sender, rights_to_impersonate(wanted)))
        return found.constraint


def _warnings(texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
    return [(_WARNING, header.encode()) for header in warning_headers(texts)] if texts else []


class FlowControl:
    """Filter that finds the FlowSchema of each request (``scope["flow_class"]``).

    The response headers contain the UIDs of the FlowSchema and the priority level. Streams, such as ``exec`` or
    followed logs, get no FlowSchema.
    """

    def __init__(self, app: ASGIApp, classifier: FlowClassifier, registry: Registry) -> None:
        self._app = app
        self._classifier = classifier
        self._schemas = registry.find(_FLOW_CONTROL, "v1", "flowschemas")
        self._levels = registry.find(_FLOW_CONTROL, "v1", "prioritylevelconfigurations")
        self._seen: list[Sequence[StoredObject]] = []
        self._revision = -1
        self._known: dict[_Question, FlowClass | None] = {}
        """Cached classes of requests without a query string, by method, path, user name and groups."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find the FlowSchema of a request, and pass the request to the application."""
        if self._revision != self._schemas.seen_revision:
            self._revision = self._schemas.seen_revision
            await self._catch_up()
        user = scope["user"]
        question = scope.get("method", "GET"), scope["path"], user.name, user.groups
        if question in self._known and not scope["query_string"]:
            found = self._known[question]
        else:
            found = self._classified(ApiRequest(scope, receive))
            if not scope["query_string"]:
                if len(self._known) >= _MOST_CLASSES:
                    self._known.clear()
                self._known[question] = found
        scope["flow_class"] = found
        if found is not None:
            self._classifier.received[found.level.name] += 1
            scope["added_headers"] += found.headers
        await self._app(scope, receive, send)

    async def _catch_up(self) -> None:
        """Clear the cached classifications if a FlowSchema or a PriorityLevelConfiguration has changed."""
        found = [await self._schemas.all_seen(), await self._levels.all_seen()]
        if not self._seen or found[0] is not self._seen[0] or found[1] is not self._seen[1]:
            self._seen = found
            self._classifier.use(*found)
            self._known.clear()

    def _classified(self, request: ApiRequest) -> FlowClass | None:
        attributes = attributes_of(request)
        lasts = attributes.subresource in LASTING or attributes.verb == _PROXY
        is_stream = lasts and attributes.verb != _WATCH
        return None if is_stream else self._classifier.classify(attributes)


async def not_found(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer 404 with a line of text instead of a Status, for a path that no router serves."""
    await text_response(NOT_FOUND_TEXT, 404)(scope, receive, send)


RESOURCE_ROUTES: Final = (
    *watches.router.routes,
    *namespaces.router.routes,
    *objects.router.routes,
    *subresources.router.routes,
)
"""The routes of resources, relative to a group and version.

They have no state, so that all servers of a process share them.
"""
_RESOURCES: Final = Router(RESOURCE_ROUTES, redirect_slashes=False, default=not_found)


class Page(Protocol):
    """A web application for browsers (ASGI), which is served in front of the API."""

    def takes(self, scope: Scope) -> bool:
        """Return True if this request is for the web page, and not for the API."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request that `takes` accepts."""

    def close(self) -> None:
        """Break reference cycles after the last request."""


class _Recording(NamedTuple):
    """The ASGI applications that serve a request after all filters, and record it in the request log."""

    resources: ASGIApp
    others: ASGIApp
    """FastAPI's router, for all requests that are not for a resource."""
    wrap: Callable[[ASGIApp], ASGIApp]
    """Function that wraps an ASGI application, so that its requests are recorded in the request log."""

    @classmethod
    def of(
        cls, routes: RouteCache, seconds: float, seats: AllSeats, routing: ASGIApp, parts: EndpointParts
    ) -> "_Recording":
        """Create the ASGI applications that serve a request after all filters.

        `routes` finds the endpoints for resources, `seconds` is the timeout of requests for resources, and `routing` is
        FastAPI's router for all other requests. `seats` limits concurrent requests, and `parts` are the server's
        objects, such as its registry and its log.
        """
        wrap = partial(Recorded, registry=parts.registry, log=parts.request_log, seats=seats)
        return cls(ResourceApplication(parts, routes, seconds, seats), wrap(routing), wrap)


class ApiServer(FastAPI):
    """The ASGI application of a server: kube-apiserver's filters, and then the routers.

    A ResourceApplication serves requests for resources; a RouteCache finds the routes of these requests. FastAPI routes
    all other requests.
    """

    def __init__(
        self,
        parts: EndpointParts,
        package_version: str,
        lifespan: Lifespan[FastAPI],
        request_seconds: float,
        limits: RequestLimits,
    ) -> None:
        super().__init__(lifespan=lifespan, openapi_url=None, redirect_slashes=False)
        registry, log, measures = parts.registry, parts.request_log, parts.measures
        client, leader = parts.hook_client, parts.leader
        self.checks = Checks(registry, parts.informers, parts.definitions, parts.api_services, has_rbac=parts.has_rbac)
        """Checks that ``/healthz``, ``/livez`` and ``/readyz`` run."""
        classifier = FlowClassifier(parts.mandatory_flows)
        self.seats = AllSeats(limits, request_seconds * _WAITING_SHARE, lambda: classifier.levels)
        """The limits of concurrent requests, with the running and the waiting requests."""
        self._catalog = registry.catalog
        self._proxy = Proxy(client, request_seconds)
        self.page: Page | None = None
        """The web page, which authenticates its users itself; None if the server has none."""
        self._leader = None if leader is None else LeaderProxy(leader, client, request_seconds)
        cache = RouteCache(RESOURCE_ROUTES, registry, measures)
        self._recording = partial(_Recording.of, cache, request_seconds, self.seats, super().__call__)
        self._recorded = self._recording(parts)
        self._unrecorded: _Recording | None = None
        self._parts = parts
        authorized: ASGIApp = self._dispatch
        if parts.authorizer is not None:
            authorized = Authorization(authorized, parts.authorizer, log)
        self._filters: ASGIApp = Filters(FlowControl(authorized, classifier, registry), parts)
        self.router.default = not_found
        self._metrics_apis = parts.metrics_apis
        self.add_router(discovery_router(registry.catalog, parts.metrics_apis))
        self.add_router(health_router(self.checks, measures))
        self.add_router(version_router(package_version, parts.reported_version))
        self.add_router(openid_router(parts.openid_provider))
        self.add_router(metrics_router(registry, measures, self.seats))
        if parts.metrics_apis is not None:
            self.add_router(metrics_apis_router(parts.metrics_apis))
        self.add_router(openapi_router(registry.catalog, self._proxy))
        self.add_router(flow_control_router(classifier, self.seats))
        self.add_router(index_router(registry.catalog, self.checks))
        for prefix in ("/api/{version}", "/apis/{group}/{version}"):
            self.mount(prefix, _RESOURCES)

    def add_router(self, router: APIRouter) -> None:
        """Add the routes of a router to the application.

        FastAPI's ``include_router`` would add a nested router instead.
        """
        self.router.routes.extend(router.routes)
        # Break the reference cycles in Starlette's router: otherwise, only the garbage collector would free it.
        vars(router).clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request or WebSocket, or the ASGI lifespan events."""
        if scope["type"] == "lifespan":
            await super().__call__(scope, receive, send)
        elif has_bad_escape(scope):
            await _MALFORMED(scope, receive, send)
        elif self.page is not None and not scope["path"].startswith(_API) and self.page.takes(scope):
            await self.page(scope, receive, send)
        else:
            await self._filters(scope, receive, send)

    async def serve_api(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or WebSocket that the web page sends to the API, with all filters.

        Reads are not in the request log, and no fault applies to them, so that looking at the page does not change a
        test.
        """
        if scope.get("method") == "GET":
            if self._unrecorded is None:
                self._unrecorded = self._recording(self._parts._replace(request_log=self._parts.request_log.apart()))
            scope[OF_PAGE] = True
        await self._filters(scope, receive, send)

    def refuse_writes(self) -> None:
        """Answer 405 to all writes from now on, because the server only shows a snapshot."""
        self._filters = ReadOnly(self._filters)

    def refuse_requests(self) -> None:
        """Answer 429 to all further requests except health checks and metrics, because the server shuts down."""
        self._filters = ShuttingDown(self._filters)

    def close(self) -> None:
        """Break reference cycles, so that the server is freed without garbage collection."""
        del self._filters, self._recorded, self._unrecorded, self._recording
        if self.page is not None:
            self.page.close()
        self.page = None
        vars(self.router).clear()
        vars(self.webhooks).clear()

    async def _dispatch(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        recording = self._recorded if OF_PAGE not in scope or self._unrecorded is None else self._unrecorded
        address = parse_address(path)
        delegate = self._delegate_of(path) if self._catalog.delegated else None
        if self._leader is not None and self._leader.takes(path):
            application: ASGIApp = recording.wrap(self._leader)
        elif delegate is not None:
            application = recording.wrap(partial(self._proxy, delegate))
        elif address is not None and address.is_below_version and not self._is_metric(address.group):
            application = recording.resources
        else:
            application = recording.others
        await application(scope, receive, send)

    def _is_metric(self, group: str) -> bool:
        """Return True for a group of custom or external metrics that is currently served."""
        return group in GROUPS and self._metrics_apis is not None and group in self._metrics_apis.versions()

    def is_proxied(self, path: str) -> bool:
        """Return True if requests for this path, including connection upgrades, are proxied to another server."""
        if self._leader is not None and self._leader.takes(path):
            return True
        return bool(self._catalog.delegated) and self._delegate_of(path) is not None

    def _delegate_of(self, path: str) -> Delegate | None:
        """Return the extension API server to which requests for the path are proxied; None for other paths."""
        address = parse_address(path)
        return None if address is None else self._catalog.delegated.get((address.group, address.version))
