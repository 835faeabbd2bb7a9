"""Which handler an address and a method lead to, told by what a resource declares."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from starlette.types import ASGIApp

from memkube.apimachinery.errors import not_found
from memkube.endpoints.handlers.objects import (
    answer,
    create,
    delete,
    delete_collection,
    get,
    list_or_watch,
    patch,
    post,
    replace,
)
from memkube.endpoints.handlers.scope import Scope
from memkube.endpoints.requests.address import Address
from memkube.endpoints.requests.negotiation import NOT_TABULAR, UNRESTRICTED, Restrictions
from memkube.endpoints.responses.responses import generic_refusal
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import ConnectSubresource, CreateSubresource, Resource, Subresource

Handler: TypeAlias = Callable[[Scope], Awaitable[ASGIApp]]
Shape: TypeAlias = tuple[str, str, str, str, str, bool, bool, bool, bool]
"""What of a method and an address decides on the route."""
NOWHERE: Final = 404
_CONNECT: Lazy[Callable[..., Awaitable[ASGIApp]]] = Lazy("memkube.endpoints.handlers.connect:connect")
"""Imported for the first who connects, with the protocols of streams."""
_COLLECTION: dict[str, tuple[str, Handler]] = {
    "GET": ("list", list_or_watch),
    "POST": ("create", create),
    "DELETE": ("deletecollection", delete_collection),
}
_ITEM: dict[str, tuple[str, Handler]] = {
    "GET": ("get", get),
    "PUT": ("update", replace),
    "PATCH": ("patch", patch),
    "DELETE": ("delete", delete),
}


@dataclass(frozen=True, slots=True)
class Route:
    """What an address and a method lead to."""

    handler: Handler
    verb: str
    subresource: Subresource | None = None
    restrictions: Restrictions = UNRESTRICTED
    """How the answer can be had."""

    @property
    def lists(self) -> bool:
        """Whether the address is one of a collection that is read."""
        return self.verb == "list"


def route_to(catalog: Catalog, method: str, address: Address) -> tuple[Route, Resource]:
    """The route, and the resource that it is about. Raises ApiError 404 and 405."""
    resource = catalog.find(address.group, address.version, address.resource)
    if resource is None or (address.namespace and not resource.namespaced):
        raise generic_refusal(404)
    if address.watch:
        _check_watched(address, resource)
        return _allowed("GET", method, Route(list_or_watch, "list")), resource
    if address.subresource:
        subresource = resource.subresource(address.subresource)
        misplaced = resource.namespaced and not address.namespace
        has_path = isinstance(subresource, ConnectSubresource) and subresource.has_path
        if subresource is None and resource.structural is not None and not misplaced:
            raise not_found(resource.group_resource, address.name)
        if subresource is None or misplaced or (address.rest and not has_path):
            raise generic_refusal(404)
        return _subresource_route(method, subresource), resource
    verbs = _ITEM if address.name else _COLLECTION
    everywhere = resource.namespaced and not address.namespace
    if (everywhere and (address.name or "list" not in resource.verbs)) or not _has_any(resource, verbs):
        raise generic_refusal(404)
    verb, handler = verbs.get(method, ("", get))
    if verb == "create" and not resource.keeps_objects:
        handler = answer
    if verb not in resource.verbs or (everywhere and verb != "list"):
        raise generic_refusal(NOWHERE if everywhere and resource.structural is not None else 405)
    return Route(handler, verb, restrictions=_restrictions(resource.keeps_objects)), resource


def shape_of(method: str, address: Address) -> Shape:
    """All that decides on the route: names do not, but whether there are any."""
    return (
        method,
        address.group,
        address.version,
        address.resource,
        address.subresource,
        bool(address.namespace),
        bool(address.name),
        bool(address.rest),
        address.watch,
    )


def _restrictions(tabular: bool) -> Restrictions:
    return UNRESTRICTED if tabular else NOT_TABULAR


def _has_any(resource: Resource, verbs: dict[str, tuple[str, Handler]]) -> bool:
    return any(verb in resource.verbs for verb, _ in verbs.values())


def _check_watched(address: Address, resource: Resource) -> None:
    """Raises ApiError 404 unless a deprecated address names a collection or an object that can be watched."""
    nowhere = resource.namespaced and not address.namespace and address.name
    if nowhere or address.subresource or "watch" not in resource.verbs:
        raise generic_refusal(404)


def _allowed(expected: str, method: str, route: Route) -> Route:
    if method != expected:
        raise generic_refusal(405)
    return route


def _subresource_route(method: str, subresource: Subresource) -> Route:
    """Subresources that show their parent share its handlers; the others bring their own."""
    restrictions = _restrictions(subresource.tabular)
    if isinstance(subresource, CreateSubresource) and method == "POST":
        return Route(post, "create", subresource, restrictions)
    if isinstance(subresource, ConnectSubresource) and method in subresource.methods:
        return Route(partial(_CONNECT.load(), subresource=subresource), "connect", subresource, restrictions)
    verb, handler = _ITEM.get(method, ("", get))
    if verb not in subresource.verbs or isinstance(subresource, CreateSubresource | ConnectSubresource):
        raise generic_refusal(405)
    return Route(handler, verb, subresource, restrictions)
