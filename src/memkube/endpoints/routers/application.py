"""The URL shapes. Which kinds there are is the catalog's business, asked on every request."""

from collections.abc import Callable
from functools import cache, partial
from typing import Final

from starlette.applications import Starlette
from starlette.routing import Mount, Route, Router, WebSocketRoute
from starlette.types import ASGIApp, Lifespan, Receive, Send
from starlette.types import Scope as AsgiScope

from memkube.endpoints.aggregation.proxy import Proxy
from memkube.endpoints.filters.chain import Filters
from memkube.endpoints.filters.leader_proxy import LeaderProxy
from memkube.endpoints.filters.limits import RequestLimits
from memkube.endpoints.filters.recording import Recorded
from memkube.endpoints.filters.seats import AllSeats, ShuttingDown
from memkube.endpoints.parts import EndpointParts
from memkube.endpoints.requests.address import DOCS_FILES, HEALTH, parse_address
from memkube.endpoints.requests.negotiation import FOR_PEOPLE
from memkube.endpoints.responses.responses import document_response, text_response
from memkube.endpoints.routers.discovery import Discovery
from memkube.endpoints.routers.nonresource import Checks, Health, Version
from memkube.endpoints.routers.openid import CONFIGURATION, JWKS, OpenIdMetadata
from memkube.endpoints.routers.resources import NOT_FOUND_TEXT, RestApplication
from memkube.registry.declarations.delegation import Delegate
from memkube.registry.registry import Registry

_PATIENCE: Final = 0.25
"""How much of the time that they may take reads and writes wait for a seat, at most (``getRequestWaitContext``)."""
_SLASHES_OF_A_VERSION: Final = 3
"""In ``/apis/GROUP/VERSION``."""


class ApiServer(Starlette):
    """Starlette with the reference's filters before it, and a short way to the REST addresses.

    Their one plain endpoint needs nothing of Starlette's middleware, which would cost it more than all it does itself.
    Typed routes, for which there is FastAPI, are those of the control API: it takes a quarter of the start to import.
    """

    def __init__(
        self,
        parts: EndpointParts,
        package_version: str,
        lifespan: Lifespan[Starlette],
        request_seconds: float,
        limits: RequestLimits,
    ) -> None:
        super().__init__(lifespan=lifespan)
        registry, log = parts.registry, parts.request_log
        self.checks = Checks(registry, parts.informers, parts.definitions)
        """How the server is."""
        self._catalog = registry.catalog
        self._log = log
        self.seats = AllSeats(limits, request_seconds * _PATIENCE)
        """Who is worked on."""
        self._rest = RestApplication(parts, log, request_seconds, self.seats)
        self._request_seconds = request_seconds
        self._elsewhere = Recorded(super().__call__, registry, log, self.seats)
        self._filters: ASGIApp = Filters(self._dispatch)
        client, leader = parts.hook_client, parts.leader
        self._proxy = Proxy(client, request_seconds)
        self._leader = None if leader is None else LeaderProxy(leader, client, request_seconds)
        self._parts = parts
        self._registry = registry
        self._package_version = package_version
        self._is_routed = False
        self.router.default = not_found
        self.router.redirect_slashes = False

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        if scope["type"] == "lifespan":
            await super().__call__(scope, receive, send)
        else:
            await self._filters(scope, receive, send)

    def turn_away_all(self) -> None:
        """Takes no request any more, but for health and metrics: the server ends."""
        self._filters = ShuttingDown(self._filters)

    def close(self) -> None:
        """Break reference cycles, so that a stopped server is freed without waiting for the garbage collector."""
        del self._filters, self._elsewhere, self.router.lifespan_context
        self.router.routes.clear()

    async def _dispatch(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        delegate = self._delegate_of(scope["path"]) if self._catalog.delegated else None
        if self._leader is not None and self._leader.takes(scope["path"]):
            await Recorded(self._leader, self._registry, self._log, self.seats)(scope, receive, send)
        elif delegate is not None:
            await Recorded(partial(self._proxy, delegate), self._registry, self._log, self.seats)(scope, receive, send)
        elif _is_resource_path(scope["path"]) and not scope.get("root_path"):
            await self._rest(scope, receive, send)
        else:
            if not self._is_routed:
                self._route()
            await self._elsewhere(scope, receive, send)

    def _route(self) -> None:
        """Adds the addresses that are seldom asked for, when one of them is: many servers live for one test."""
        self._is_routed = True
        openapi = _Later(self._openapi)
        # The few requests that come to resources through the router are recorded, and have a seat, already.
        boundless = AllSeats(RequestLimits(0, 0, 0, 0), 0)
        rest = RestApplication(self._parts, self._log.beside(), self._request_seconds, boundless)
        add_routes(self.router, self._parts, rest, self.checks, self._package_version, openapi, self.seats)

    def _openapi(self) -> ASGIApp:
        from memkube.endpoints.routers.openapi import OpenApi  # noqa: PLC0415  a first answer needs no documents

        return OpenApi(self._catalog, self._proxy)

    def leaves_http_to_others(self, path: str) -> bool:
        """Whether whoever upgrades a connection at this address speaks with another server then."""
        if self._leader is not None and self._leader.takes(path):
            return True
        return bool(self._catalog.delegated) and self._delegate_of(path) is not None

    def _delegate_of(self, path: str) -> Delegate | None:
        """The server that a path is left to, if it is."""
        address = parse_address(path)
        return None if address is None else self._catalog.delegated.get((address.group, address.version))


def _is_resource_path(path: str) -> bool:
    """Whether a path is below that of a version, where there are resources only."""
    if path.startswith("/api/v1/"):
        return len(path) > len("/api/v1/")
    return path.startswith("/apis/") and path.rstrip("/").count("/") > _SLASHES_OF_A_VERSION


def add_routes(
    router: Router,
    parts: EndpointParts,
    rest: RestApplication,
    checks: Checks,
    package_version: str,
    openapi: ASGIApp,
    seats: AllSeats,
) -> None:
    """Adds every address of the API server, the busiest first."""
    registry = parts.registry
    discovery = Discovery(registry.catalog)
    groups = _DiscoveryOr(discovery, rest)
    health = Health(checks, parts.measures)
    _serve(router, "/api/v1/", discovery)
    _serve(router, "/api/v1/{rest:path}", rest)
    _serve(router, "/api", discovery)
    _serve(router, "/apis", discovery)
    _serve(router, "/api/{rest:path}", groups)
    _serve(router, "/apis/{rest:path}", groups)
    for name in HEALTH:
        _serve(router, f"/{name}", health)
        _serve(router, f"/{name}/{{check:path}}", health)
    _serve(router, "/version", Version(package_version))
    _serve(router, "/version/", Version(package_version))
    openid = OpenIdMetadata(parts.openid_provider)
    for path in (CONFIGURATION, JWKS):
        _serve(router, path, openid)
        _serve(router, f"{path}/", openid)
    _serve(router, "/metrics", _Later(partial(_metrics, parts, seats)))
    _serve(router, "/openapi/{rest:path}", openapi)
    _serve(router, "/docs", openapi)
    router.routes.append(Mount(DOCS_FILES, _Later(_docs_files)))
    _serve(router, "/", _Paths(registry))
    _serve(router, "/index.html", _Paths(registry))


async def not_found(scope: AsgiScope, receive: Receive, send: Send) -> None:
    """What is not there at all has no Status either."""
    await text_response(NOT_FOUND_TEXT, 404)(scope, receive, send)


def _serve(router: Router, path: str, application: ASGIApp) -> None:
    """Routes every method, and WebSocket upgrades, to an ASGI application."""
    router.routes.append(Route(path, application))  # an instance, not a function: Starlette restricts no method
    router.routes.append(WebSocketRoute(path, application))


def _metrics(parts: EndpointParts, seats: AllSeats) -> ASGIApp:
    from memkube.endpoints.routers.metrics import Metrics  # noqa: PLC0415  few servers are asked for them

    return Metrics(parts.registry, parts.measures, seats)


def _docs_files() -> ASGIApp:
    from memkube.endpoints.routers.openapi import DocsFiles  # noqa: PLC0415  few servers are asked for them

    return DocsFiles()


class _Later:
    """An application that is made, and imported, for its first request."""

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        self._made = cache(make)

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        await self._made()(scope, receive, send)


class _DiscoveryOr:
    """Discovery where the path is one of its documents, REST below."""

    def __init__(self, discovery: Discovery, rest: RestApplication) -> None:
        self._discovery = discovery
        self._rest = rest

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        answer: ASGIApp = self._discovery if self._discovery.serves(scope["path"]) else self._rest
        await answer(scope, receive, send)


class _Paths:
    """``/`` lists what there is."""

    def __init__(self, registry: Registry) -> None:
        self._catalog = registry.catalog

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        paths = [CONFIGURATION, "/api", "/apis", "/apis/", "/metrics", "/openapi/v2", "/openapi/v3", JWKS, "/version"]
        paths += [f"/{name}" for name in HEALTH]
        for group, versions in self._catalog.discovered_groups().items():
            root = f"/apis/{group}" if group else "/api"
            paths += [root, *(f"{root}/{version}" for version in versions)]
        await document_response({"paths": sorted(set(paths))}, FOR_PEOPLE)(scope, receive, send)
