"""Discovery and OpenAPI documents of extension API servers.

Sources: kube-aggregator's ``apiserver/handler_discovery.go`` and ``controllers/openapi{,v3}/aggregator``.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import orjson

from memkube.apimachinery.model import Document
from memkube.controllers.aggregation.checks import AGGREGATOR
from memkube.hooks.client import Answer, HookClient
from memkube.hooks.configuration import ClientConfig, HookFailed
from memkube.hooks.reading import read
from memkube.registry.declarations.delegation import PublishedDocuments

_SECONDS: Final = 5.0
_OPENAPI_SECONDS: Final = 60.0
_PARAMETERS: Final = ";g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
_ACCEPTED: Final = ",".join(f"application/json{_PARAMETERS.format(version)}" for version in ("v2", "v2beta1"))
_NO_KIND: Final = {"group": "", "version": "", "kind": ""}
_OPTIONAL: Final = ("shortNames", "categories", "subresources", "acceptedTypes")
_RESOURCE: Final = {
    "resource": "",
    "responseKind": _NO_KIND,
    "scope": "",
    "singularResource": "",
    "verbs": None,
    "shortNames": None,
    "categories": None,
    "subresources": None,
}
_SUBRESOURCE: Final = {"subresource": "", "responseKind": _NO_KIND, "acceptedTypes": None, "verbs": None}
_DOWNLOADER: Final = {"X-Remote-User": "system:aggregator", "Accept": "application/json"}


async def inquire(
    client: HookClient, config: ClientConfig, group: str, version: str, *, available: bool
) -> PublishedDocuments:
    """Fetch the OpenAPI documents of an extension API server, and the discovery document of one of its API versions.

    `config` has the address of the server; `group` and `version` name the API version. A document that the server does
    not serve is left out of the result. As in kube-aggregator, the discovery document is requested even if the server
    is not `available`; OpenAPI documents are not.
    """
    try:
        discovery = await _discovery(client, config, group, version)
    except (AttributeError, KeyError, TypeError):
        # Treat a malformed discovery document like a missing one.
        discovery = None
    if not available:
        return PublishedDocuments(discovery)
    return PublishedDocuments(discovery, await _openapi_v3(client, config), await _openapi_v2(client, config))


async def _fetch_json(
    client: HookClient, config: ClientConfig, path: str, headers: dict[str, str], seconds: float
) -> tuple[Answer, Any] | None:
    """Fetch a JSON document from the `path` of an extension API server, whose address is in `config`.

    Returns the HTTP response and the decoded document. Returns None if the request fails or takes longer than
    `seconds`, if the status is not 200, or if the body is not valid JSON.
    """
    try:
        answer = await read(client, config, path, headers, seconds)
        # Parse the response in a thread: a large document would otherwise block other requests.
        return (answer, await asyncio.to_thread(orjson.loads, answer.body)) if answer.status == 200 else None
    except (HookFailed, ValueError):
        return None


async def _discovery(client: HookClient, config: ClientConfig, group: str, version: str) -> Document | None:
    found = await _fetch_json(client, config, "/apis", {**AGGREGATOR, "Accept": _ACCEPTED}, _SECONDS)
    if found is not None and "as=APIGroupDiscoveryList" in found[0].headers.get("content-type", ""):
        own = _version_of(found[1], group, version)
        return {"version": version, **own, "freshness": "Current"}
    path = f"/apis/{group}/{version}" if group else f"/api/{version}"
    headers = {"X-Remote-User": AGGREGATOR["X-Remote-User"], "Accept": "application/json"}
    legacy = await _fetch_json(client, config, path, headers, _SECONDS)
    if legacy is None or not isinstance(legacy[1], dict):
        return None
    listed = [r for r in legacy[1].get("resources") or [] if isinstance(r, dict) and r.get("name")]
    resources = _resources(listed)
    return {"version": version, **({"resources": resources} if resources else {}), "freshness": "Current"}


def _version_of(document: Any, group: str, version: str) -> Document:
    items = document.get("items") if isinstance(document, dict) else None
    for item in items or []:
        if (item.get("metadata") or {}).get("name", "") == group:
            for known in item.get("versions") or []:
                if known.get("version") == version:
                    resources = [_completed(resource, _RESOURCE) for resource in known.get("resources") or []]
                    return {"resources": resources} if resources else {}
    return {}


def _completed(resource: Document, fields: Mapping[str, object]) -> Document:
    """Return a resource or subresource of an aggregated discovery document with all its required fields.

    `fields` are its fields in the order of the document, with the values that missing ones get. As in kube-aggregator,
    a missing responseKind becomes one of empty strings.
    """
    present = [name for name in fields if resource.get(name) or name not in _OPTIONAL]
    found = {name: resource.get(name) or fields[name] for name in present}
    if "subresources" in found:
        found["subresources"] = [_completed(each, _SUBRESOURCE) for each in resource["subresources"]]
    return found


def _resources(listed: list[Document]) -> list[Document]:
    """Convert the resources of an APIResourceList to aggregated discovery (``ConvertGroupVersionIntoToDiscovery``)."""
    found: dict[str, Document] = {}
    for resource in listed:
        name, _, subresource = resource["name"].partition("/")
        parent = found.setdefault(name, {"resource": name})
        if subresource:
            entry = {"subresource": subresource, "responseKind": _kind(resource), "verbs": resource.get("verbs") or []}
            parent.setdefault("subresources", []).append(entry)
            parent.setdefault("scope", _scope(resource))
            continue
        parent |= {
            "responseKind": _kind(resource),
            "scope": _scope(resource),
            "singularResource": resource.get("singularName", ""),
            "verbs": resource.get("verbs") or [],
        }
        parent |= {field: resource[field] for field in ("shortNames", "categories") if resource.get(field)}
    return list(found.values())


def _scope(resource: Document) -> str:
    return "Namespaced" if resource.get("namespaced") else "Cluster"


def _kind(resource: Document) -> Document:
    return {field: resource.get(field, "") for field in ("group", "version", "kind")}


async def _openapi_v3(client: HookClient, config: ClientConfig) -> dict[str, str]:
    found = await _fetch_json(client, config, "/openapi/v3", _DOWNLOADER, _OPENAPI_SECONDS)
    paths = found[1].get("paths") if found is not None and isinstance(found[1], dict) else None
    if not isinstance(paths, dict):
        return {}
    addresses = {path: entry.get("serverRelativeURL") for path, entry in paths.items() if isinstance(entry, dict)}
    return {path: address for path, address in addresses.items() if isinstance(address, str)}


async def _openapi_v2(client: HookClient, config: ClientConfig) -> Document | None:
    found = await _fetch_json(client, config, "/openapi/v2", _DOWNLOADER, _OPENAPI_SECONDS)
    return found[1] if found is not None and isinstance(found[1], dict) else None
