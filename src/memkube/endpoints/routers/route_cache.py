"""Finds the endpoint for a request for a resource among the declared routes, and caches it."""

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from starlette.routing import BaseRoute, Match

from memkube.apimachinery.errors import ApiError, bad_request, method_not_supported, not_found
from memkube.endpoints.filters.recording import labels_of
from memkube.endpoints.handlers.resource_request import Endpoint, ResourceRequest
from memkube.endpoints.requests.address import Address
from memkube.endpoints.requests.negotiation import NOT_TABULAR, UNRESTRICTED, Restrictions
from memkube.endpoints.responses.responses import generic_refusal
from memkube.endpoints.routers.api_route import ResourceRoute
from memkube.registry.declarations.resource import ConnectSubresource, Resource, Subresource
from memkube.registry.registry import Registry
from memkube.registry.store import Store
from memkube.telemetry.measures import Measures, RequestSeries

NOWHERE: Final = 404
_VERBS: Final = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_Shape: TypeAlias = tuple[str, str, str, str, str, bool, bool, bool, bool]


class Target(NamedTuple):
    """The endpoint for a request, with the resource that the address names."""

    endpoint: Endpoint
    verb: str
    """The verb of kube-apiserver's RequestInfo, such as ``deletecollection``; ``list`` for watches as well."""
    resource: Resource
    store: Store
    """The store of the objects, or of a view of them such as ``scale``."""
    subresource: Subresource | None
    restrictions: Restrictions
    """The media types and conversions that the address offers."""
    series: RequestSeries
    """The request metrics of this address and method."""


class RouteCache:
    """Finds the Target of a request. Targets are cached by the shape of the address until the catalog changes.

    The shape is the method and the address without its names. If a path matches the paths of several routes, the first
    path counts, and its routes decide which methods are allowed (as in go-restful). The paths of `routes` are relative
    to a group and version.
    """

    def __init__(self, routes: Sequence[BaseRoute], registry: Registry, measures: Measures) -> None:
        self._routes = [route for route in routes if isinstance(route, ResourceRoute)]
        self._registry = registry
        self._measures = measures
        self._targets: dict[_Shape, Target] = {}
        registry.catalog.on_change(self._targets.clear)

    def find(self, request: ResourceRequest) -> Target:
        """Return the target of a request.

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
            # Refusals are not cached, because clients can invent any number of unknown addresses.
            target = self._targets[shape] = self._resolve(request.path, request.method, address)
        return target

    def _resolve(self, path: str, method: str, address: Address) -> Target:
        resource = self._registry.catalog.find(address.group, address.version, address.resource)
        if resource is None or (address.namespace and not resource.namespaced):
            raise generic_refusal(404)
        asked = method
        if is_custom := resource.structural is not None:
            path = _custom_path(path, method, address, resource)
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
        """Return the routes of the first declared path that matches; each route has other methods."""
        root = f"/apis/{address.group}/{address.version}" if address.group else f"/api/{address.version}"
        scope = {"type": "http", "method": "GET", "path": path, "root_path": root}
        first = next((route for route in self._routes if route.matches(scope)[0] is not Match.NONE), None)
        return [] if first is None else [route for route in self._routes if route.path == first.path]


def _custom_path(path: str, method: str, address: Address, resource: Resource) -> str:
    """Return the path by which to find the route of a custom kind.

    kube-apiserver serves custom kinds by method alone: a POST to an object's path creates an object, a HEAD is a GET,
    and every method of a ``/watch/`` path is a watch, of all objects if the namespace is missing. PUT and PATCH need a
    name; without one, ApiError 400 is raised.
    """
    if address.watch and address.name and resource.namespaced and not address.namespace:
        return path.rstrip("/").rpartition("/")[0]
    if address.subresource or address.watch or (resource.namespaced and not address.namespace):
        return path
    if method == "POST" and address.name:
        return path.rstrip("/").rpartition("/")[0]
    if method in ("PUT", "PATCH") and not address.name:
        raise _with_deprecation(bad_request("name must be provided"), resource)
    return path


def _not_supported(method: str, address: Address, resource: Resource) -> ApiError:
    """Return the 405 error that kube-apiserver answers for custom kinds."""
    verb = "watch" if address.watch else _VERBS.get(method, "")
    verb = "deletecollection" if verb == "delete" and not address.name else verb
    return _with_deprecation(method_not_supported(resource.group_resource, verb), resource)


def _with_deprecation(error: ApiError, resource: Resource) -> ApiError:
    """Add the warning of a deprecated version to an error about a custom kind, because all its refusals have it."""
    error.warnings = (resource.deprecation,) if resource.deprecation else ()
    return error


def _check_watch(address: Address, resource: Resource) -> None:
    """Check a deprecated ``/watch/`` address.

    Raises ApiError 404 unless it names a collection or an object to watch.
    """
    misplaced = resource.structural is None and resource.namespaced and not address.namespace and address.name
    if misplaced or address.subresource or "watch" not in resource.verbs:
        raise generic_refusal(404)


def _subresource(address: Address, resource: Resource) -> Subresource:
    """Return the subresource that the address names. Raises ApiError 404 if the resource does not have it."""
    subresource = resource.subresource(address.subresource)
    misplaced = resource.namespaced and not address.namespace
    has_path = isinstance(subresource, ConnectSubresource) and subresource.has_path
    if subresource is None and resource.structural is not None and not misplaced:
        raise _with_deprecation(not_found(resource.group_resource, address.name), resource)
    if subresource is None or misplaced or (address.rest and not has_path):
        raise generic_refusal(404)
    return subresource


def _is_allowed(verb: str, declared: Sequence[str], address: Address, resource: Resource) -> bool:
    """Return True if the resource has the verb at this address. Raises ApiError 404 if no resource is served there.

    Across all namespaces, a namespaced resource can only be listed.
    """
    everywhere = resource.namespaced and not address.namespace
    misplaced = everywhere and (address.name or "list" not in resource.verbs)
    if misplaced or not any(one in resource.verbs for one in declared):
        raise generic_refusal(404)
    if everywhere and verb != "list":
        # Across all namespaces, kube-apiserver answers other methods with 404 for custom kinds, with 405 for others.
        raise generic_refusal(NOWHERE if resource.structural is not None else 405)
    return verb in resource.verbs
