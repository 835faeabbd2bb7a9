"""Discovery of groups, versions and resources: one document for each version, and aggregated discovery (KEP-3352)."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import orjson
from fastapi import APIRouter
from starlette.types import ASGIApp

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.endpoints.requests.api_request import ApiRequest, parse_address
from memkube.endpoints.requests.negotiation import (
    AGGREGATED,
    AGGREGATED_DISCOVERY,
    DEFAULT_RESTRICTIONS,
    Representation,
    best_of,
    check_produced,
)
from memkube.endpoints.responses.responses import (
    NOT_FOUND_TEXT,
    BytesResponse,
    document_response,
    encode,
    generic_refusal,
    note_document,
    text_response,
)
from memkube.endpoints.routers.api_route import ANY_METHOD, TolerantRoute
from memkube.endpoints.routers.metrics_apis import GROUPS, api_resources, discovered
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.interface import MetricResource, MetricsApis
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.resource import (
    ConnectSubresource,
    CreateSubresource,
    Resource,
    Subresource,
    ViewSubresource,
)

_AGGREGATED_PARAMETERS: Final = ";g={};v={};as={}".format(*AGGREGATED_DISCOVERY)


def discovery_router(catalog: Catalog, metrics: MetricsApis | None = None) -> APIRouter:
    """Return a router for the discovery documents.

    They list the resources in `catalog` and in the metrics APIs at the time of the request.
    """
    router = APIRouter(route_class=TolerantRoute)
    discovery = _Discovery(catalog, metrics)
    router.api_route("/api", methods=ANY_METHOD)(discovery.api_versions)
    router.api_route("/apis", methods=ANY_METHOD)(discovery.api_groups)
    router.api_route("/apis/{group}", methods=ANY_METHOD)(discovery.api_group)
    router.api_route("/api/{version}", methods=ANY_METHOD)(discovery.api_resources)
    router.api_route("/apis/{group}/{version}", methods=ANY_METHOD)(discovery.api_resources)
    return router


class _Discovery:
    """Handlers of the discovery paths: ``/api`` and ``/apis``, and the groups and versions below them.

    As in kube-apiserver, ``/api``, and versions without custom kinds, answer 405 to methods other than GET. The other
    paths answer every method as if it were GET.
    """

    def __init__(self, catalog: Catalog, metrics: MetricsApis | None) -> None:
        self._catalog = catalog
        self._metrics = metrics

    def _groups(self) -> Mapping[str, Sequence[str]]:
        """Return all served API groups with their versions. The groups of custom and external metrics are last."""
        return self._with_metrics(self._catalog.discovered_groups())

    def _with_metrics(self, groups: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
        metrics = {} if self._metrics is None else self._metrics.versions()
        return {**groups, **{group: metrics[group] for group in metrics if group not in groups}} if metrics else groups

    def _metrics_of(self, group: str) -> Sequence[MetricResource] | None:
        """Return a resource for each metric in an API group of custom or external metrics; None for any other group."""
        if self._metrics is None or group not in GROUPS or group in self._catalog.discovered_groups():
            return None
        return self._metrics.resources(group)

    async def api_versions(self, request: ApiRequest) -> ASGIApp:
        _check_get(request)
        check_produced(request.accept)
        document = {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [_own_address(request)]}
        return self._root(request, "/api", document)

    async def api_groups(self, request: ApiRequest) -> ASGIApp:
        registered = self._with_metrics(self._catalog.registered_groups())
        groups = [_group(group, versions) for group, versions in registered.items() if group]
        return self._root(request, "/apis", {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})

    async def api_group(self, request: ApiRequest) -> ASGIApp:
        group = request.path.strip("/").split("/")[1]
        registered = self._with_metrics(self._catalog.registered_groups())
        if not group or group not in registered:
            return text_response(NOT_FOUND_TEXT, 404)
        return _in_documents_type(request, {"kind": "APIGroup", "apiVersion": "v1", **_group(group, registered[group])})

    async def api_resources(self, request: ApiRequest) -> ASGIApp:
        address = parse_address(request.path.rstrip("/"))
        group, version = ("", "") if address is None else (address.group, address.version)
        if version not in self._groups().get(group, ()):
            if address is None or not self._catalog.has_built_in(group):
                return text_response(NOT_FOUND_TEXT, 404)
            raise generic_refusal(404)
        if not any(resource.structural is not None for resource in self._catalog.in_version(group, version)):
            _check_get(request)
            check_produced(request.accept)
        return _in_documents_type(request, self._resources(group, version))

    def _root(self, request: ApiRequest, path: str, document: Document) -> ASGIApp:
        """Answer a request for `path`, which is ``api`` or ``apis``.

        The response is the aggregated discovery document if the client accepts it, otherwise `document`.
        """
        try:
            aggregated = best_of(request.accept, AGGREGATED)
        except ApiError:
            return _in_documents_type(request, document)
        return self._aggregated(request, path, aggregated.laid_out(request.pretty))

    def _aggregated(self, request: ApiRequest, path: str, representation: Representation) -> ASGIApp:
        groups = [g for g in self._groups() if (g == "") == (path == "/api")]
        document = {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": "apidiscovery.k8s.io/v2",
            "metadata": {},
            "items": [self._group_discovery(group) for group in groups],
        }
        content_type = f"{representation.media_type}{_AGGREGATED_PARAMETERS}"
        etag = f'"{hashlib.sha512(orjson.dumps(document)).hexdigest().upper()}"'
        unchanged = request.header(b"if-none-match") == etag
        body, code = (b"", 304) if unchanged else (encode(document, representation), 200)
        if not unchanged:
            note_document(request, document, representation)
        response = BytesResponse(body, code, content_type)
        response.raw_headers += [(b"etag", etag.encode()), (b"vary", b"Accept"), (b"cache-control", b"public")]
        return response

    def _resources(self, group: str, version: str) -> Document:
        metrics = self._metrics_of(group)
        resources = [] if metrics is None else api_resources(metrics)
        for resource in self._catalog.in_version(group, version):
            resources.append(_api_resource(resource))
            resources += [_api_subresource(resource, s) for s in _ordered(resource)]
        return {
            "kind": "APIResourceList",
            **({"apiVersion": "v1"} if group else {}),
            "groupVersion": f"{group}/{version}" if group else version,
            "resources": resources,
        }

    def _group_discovery(self, group: str) -> Document:
        versions = [self._version_discovery(group, version) for version in self._groups()[group]]
        return {"metadata": {"name": group} if group else {}, "versions": versions}

    def _version_discovery(self, group: str, version: str) -> Document:
        """Return the entry of a version in the aggregated discovery document.

        For a version of an extension API server, this is the entry that the extension API server publishes.
        """
        delegate = self._catalog.delegated.get((group, version))
        if delegate is not None:
            return delegate.published.discovery or {"version": version, "freshness": "Stale"}
        metrics = self._metrics_of(group)
        resources = [_resource_discovery(resource) for resource in self._catalog.in_version(group, version)]
        resources += [] if metrics is None else discovered(metrics)
        return {"version": version, "resources": resources, "freshness": "Current"}


def _in_documents_type(request: ApiRequest, document: Document) -> ASGIApp:
    """Return the response with a discovery document, in a media type that the client accepts.

    Raises ApiError 406 if the client accepts no offered media type.
    """
    representation = best_of(request.accept or "*/*", DEFAULT_RESTRICTIONS)
    note_document(request, document, representation)
    return document_response(document, representation.laid_out(request.pretty))


def _check_get(request: ApiRequest) -> None:
    """Raise ApiError 405 if the method of the request is not GET."""
    if request.method != "GET":
        raise generic_refusal(405)


def _own_address(request: ApiRequest) -> Document:
    """Return the ``serverAddressByClientCIDRs`` entry of this server, which is valid for clients at all addresses."""
    host, port = request.scope.get("server") or ("localhost", None)
    shown = f"[{host}]" if ":" in host else host
    return {"clientCIDR": "0.0.0.0/0", "serverAddress": shown if port is None else f"{shown}:{port}"}


def _group(group: str, versions: Sequence[str]) -> Document:
    """Return the entry of a group in the list of all groups."""
    named = [{"groupVersion": f"{group}/{version}", "version": version} for version in versions]
    return {"name": group, "versions": named, "preferredVersion": named[0]}


def _api_resource(resource: Resource) -> Document:
    return _without_empty(
        {
            "name": resource.plural,
            "singularName": resource.singular,
            "namespaced": resource.namespaced,
            "kind": resource.kind,
            "verbs": list(resource.verbs),
            "shortNames": list(resource.short_names),
            "categories": list(resource.categories),
            "storageVersionHash": resource.storage_version_hash,
        }
    )


def _kind_of(resource: Resource, subresource: Subresource) -> KindName:
    """Return the kind that a subresource reads or writes.

    Its group and version are empty if they equal the resource's group and version.
    """
    if isinstance(subresource, ViewSubresource):
        shown = subresource.shown
        return KindName(shown.group, shown.version, shown.kind)
    if isinstance(subresource, CreateSubresource):
        return KindName(subresource.group, subresource.version, subresource.kind)
    if isinstance(subresource, ConnectSubresource):
        return KindName("", "", subresource.options_kind or resource.kind)
    return KindName("", "", resource.kind)


def _api_subresource(resource: Resource, subresource: Subresource) -> Document:
    kind = _kind_of(resource, subresource)
    foreign = {"group": kind.group, "version": kind.version} if kind.version else {}
    return {
        "name": f"{resource.plural}/{subresource.name}",
        "singularName": "",
        "namespaced": resource.namespaced,
        **foreign,
        "kind": kind.kind,
        "verbs": list(subresource.verbs),
    }


def _resource_discovery(resource: Resource) -> Document:
    subresources = [
        {
            "subresource": subresource.name,
            "responseKind": _kind_of_response(resource, subresource),
            "verbs": list(subresource.verbs),
        }
        for subresource in _ordered(resource)
    ]
    return _without_empty(
        {
            "resource": resource.plural,
            "responseKind": _response_kind(resource),
            "scope": "Namespaced" if resource.namespaced else "Cluster",
            "singularResource": resource.singular,
            "verbs": list(resource.verbs),
            "shortNames": list(resource.short_names),
            "categories": list(resource.categories),
            "subresources": subresources,
        }
    )


def _kind_of_response(resource: Resource, subresource: Subresource) -> Document:
    kind = _kind_of(resource, subresource)
    own = resource.structural is not None and not kind.version
    return _response_kind(resource) if own else asdict(kind)


def _ordered(resource: Resource) -> list[Subresource]:
    """Return the subresources of a resource in kube-apiserver's order.

    They are sorted by name; those of custom kinds are in reverse order.
    """
    return sorted(resource.subresources, key=lambda s: s.name, reverse=resource.structural is not None)


def _response_kind(resource: Resource) -> Document:
    """Return the ``responseKind`` of a resource in aggregated discovery.

    As in kube-apiserver, group and version are empty for built-in kinds.
    """
    own = ("", "") if resource.structural is None else (resource.group, resource.version)
    return {"group": own[0], "version": own[1], "kind": resource.kind}


def _without_empty(document: dict[str, Any]) -> Document:
    return {key: value for key, value in document.items() if value not in ("", [])}
