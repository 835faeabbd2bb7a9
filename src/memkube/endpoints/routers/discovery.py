"""Which groups, versions and resources are served: the old documents and the aggregated one (KEP-3352)."""

import hashlib
from dataclasses import asdict
from typing import Any, Final

import orjson
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.requests.negotiation import (
    AGGREGATED,
    AGGREGATED_DISCOVERY,
    DEFAULT_RESTRICTIONS,
    Representation,
    best_of,
    check_produced,
)
from memkube.endpoints.responses.responses import BytesResponse, document_response, encode, generic_refusal, refused
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.resource import (
    ConnectSubresource,
    CreateSubresource,
    Resource,
    Subresource,
    ViewSubresource,
)

_AGGREGATED_PARAMETERS: Final = ";g={};v={};as={}".format(*AGGREGATED_DISCOVERY)


class Discovery:
    """Answers ``/api``, ``/apis``, ``/apis/GROUP`` and the addresses of versions, from the catalog as it is."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def serves(self, path: str) -> bool:
        """Whether a path is one of discovery's."""
        return self._document(path) is not None

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        request = ApiRequest(scope, receive)
        try:
            response: ASGIApp = self._answer(request)
        except ApiError as error:
            response = refused(request, error)
        await response(scope, receive, send)

    def _answer(self, request: ApiRequest) -> ASGIApp:
        path = request.path.rstrip("/")
        document = self._document(path)
        if document is None:
            raise generic_refusal(404)
        if request.method != "GET" and not self._takes_any_method(path, document):
            raise generic_refusal(405)
        if document["kind"] not in ("APIGroupList", "APIGroup"):
            check_produced(request.accept)
        if path == "/api":
            document = {**document, "serverAddressByClientCIDRs": [_own_address(request)]}
        if path not in ("/api", "/apis"):
            return _in_documents_type(request, document)
        return self._root(request, path, document)

    def _takes_any_method(self, path: str, document: Document) -> bool:
        """Whether a document is answered whatever the method: those of groups are, and all of custom kinds."""
        if document["kind"] != "APIResourceList":
            return path.startswith("/apis")
        group, _, version = document["groupVersion"].rpartition("/")
        return any(resource.structural is not None for resource in self._catalog.in_version(group, version))

    def _root(self, request: ApiRequest, path: str, document: Document) -> ASGIApp:
        """The two addresses that aggregated discovery is asked at; any clause that asks for it comes first."""
        try:
            aggregated = best_of(request.accept, AGGREGATED)
        except ApiError:
            return _in_documents_type(request, document)
        return self._aggregated(request, path, aggregated.laid_out(request.pretty))

    def _aggregated(self, request: ApiRequest, path: str, representation: Representation) -> ASGIApp:
        groups = [g for g in self._catalog.discovered_groups() if (g == "") == (path == "/api")]
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
        response = BytesResponse(body, code, content_type)
        response.raw_headers += [(b"etag", etag.encode()), (b"vary", b"Accept"), (b"cache-control", b"public")]
        return response

    def _document(self, path: str) -> Document | None:
        parts = path.strip("/").split("/")
        if parts == ["api"]:
            return _api_versions()
        if parts == ["apis"]:
            groups = [self._group(group) for group in self._catalog.discovered_groups() if group]
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
        served = self._catalog.discovered_groups()
        if parts[0] == "api" and len(parts) == 2 and parts[1] in served.get("", []):
            return self._resources("", parts[1])
        if parts[0] != "apis" or len(parts) > 3 or parts[1] not in served:
            return None
        if len(parts) == 2:
            return {"kind": "APIGroup", "apiVersion": "v1", **self._group(parts[1])}
        return self._resources(parts[1], parts[2]) if parts[2] in served[parts[1]] else None

    def _group(self, group: str) -> Document:
        versions = [
            {"groupVersion": f"{group}/{version}", "version": version}
            for version in self._catalog.discovered_groups()[group]
        ]
        return {"name": group, "versions": versions, "preferredVersion": versions[0]}

    def _resources(self, group: str, version: str) -> Document:
        resources: list[Document] = []
        for resource in self._catalog.in_version(group, version):
            resources.append(_api_resource(resource))
            resources += [_api_subresource(resource, s) for s in sorted(resource.subresources, key=lambda s: s.name)]
        return {
            "kind": "APIResourceList",
            **({"apiVersion": "v1"} if group else {}),
            "groupVersion": f"{group}/{version}" if group else version,
            "resources": resources,
        }

    def _group_discovery(self, group: str) -> Document:
        versions = [self._version_discovery(group, version) for version in self._catalog.discovered_groups()[group]]
        return {"metadata": {"name": group} if group else {}, "versions": versions}

    def _version_discovery(self, group: str, version: str) -> Document:
        """The resources of a version; those of other servers as those tell them."""
        delegate = self._catalog.delegated.get((group, version))
        if delegate is not None:
            return delegate.told.discovery or {"version": version, "freshness": "Stale"}
        resources = [_resource_discovery(resource) for resource in self._catalog.in_version(group, version)]
        return {"version": version, "resources": resources, "freshness": "Current"}


def _in_documents_type(request: ApiRequest, document: Document) -> ASGIApp:
    """Raises ApiError 406."""
    representation = best_of(request.accept or "*/*", DEFAULT_RESTRICTIONS)
    return document_response(document, representation.laid_out(request.pretty))


def _api_versions() -> Document:
    return {"kind": "APIVersions", "versions": ["v1"]}


def _own_address(request: ApiRequest) -> Document:
    """Where clients from anywhere reach the server."""
    host, port = request.scope.get("server") or ("localhost", None)
    shown = f"[{host}]" if ":" in host else host
    return {"clientCIDR": "0.0.0.0/0", "serverAddress": shown if port is None else f"{shown}:{port}"}


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
    """The kind that is read or written at a subresource; without a version where it is one of the resource's own."""
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
    """Subresources by their names; those of custom kinds as their server lists them."""
    return sorted(resource.subresources, key=lambda s: s.name, reverse=resource.structural is not None)


def _response_kind(resource: Resource) -> Document:
    """What a resource answers; only of custom kinds it is told in full."""
    own = ("", "") if resource.structural is None else (resource.group, resource.version)
    return {"group": own[0], "version": own[1], "kind": resource.kind}


def _without_empty(document: dict[str, Any]) -> Document:
    return {key: value for key, value in document.items() if value not in ("", [])}
