"""Availability checks of extension API servers (kube-aggregator's ``controllers/status/remote``)."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.hooks.client import HookClient
from memkube.hooks.configuration import ClientConfig, HookFailed
from memkube.hooks.reading import read
from memkube.registry.objects.stored import StoredObject

AGGREGATOR: Final = {"X-Remote-User": "system:kube-aggregator", "X-Remote-Group": "system:masters"}
"""User name with which kube-aggregator calls extension API servers."""
_SECONDS: Final = 5.0
_ATTEMPTS: Final = 5


class Finding(NamedTuple):
    """Reason and message of the condition Available of an APIService that is not available."""

    reason: str
    message: str


def service_fault(spec: Document, service: StoredObject | None, slices: Sequence[Document]) -> Finding | None:
    """Return why an APIService is unavailable: its Service, the Service's port or its endpoints do not exist.

    `slices` are the EndpointSlices of the Service. Returns None if all exist, or if the Service is not of type
    ClusterIP. The extension API server is not called.
    """
    namespace, name, port = (spec["service"].get(key) for key in ("namespace", "name", "port"))
    named = f'service/{name} in "{namespace}"'
    if service is None:
        return Finding("ServiceNotFound", f"{named} is not present")
    if service.document["spec"].get("type") != "ClusterIP":
        return None
    ports = service.document["spec"].get("ports") or []
    found = next((p for p in ports if p["port"] == port), None)
    if found is None:
        return Finding("ServicePortError", f"{named} is not listening on port {port}")
    if not slices:
        return Finding("EndpointsNotFound", f"cannot find endpointslices for {named}")
    port_name = found.get("name", "")
    if not any(_has_endpoint(each, port_name) for each in slices):
        why = f'endpointslices for {named} have no addresses with port name "{port_name}"'
        return Finding("MissingEndpoints", why)
    return None


async def answer_fault(client: HookClient, config: ClientConfig, path: str) -> Finding | None:
    """Check whether an extension API server, whose address is in `config`, responds to requests for `path`.

    The server is called several times in parallel. Returns None if one call succeeds, otherwise the reason and message
    for the condition Available.
    """
    attempts = [asyncio.ensure_future(_fault_of_one(client, config, path)) for _ in range(_ATTEMPTS)]
    found: str | None = None
    try:
        for attempt in asyncio.as_completed(attempts):
            found = await attempt
            if found is None:
                return None
    finally:
        for task in attempts:
            task.cancel()
        await asyncio.gather(*attempts, return_exceptions=True)
    return Finding("FailedDiscoveryCheck", found or "")


async def _fault_of_one(client: HookClient, config: ClientConfig, path: str) -> str | None:
    service = config.service
    assert service is not None
    try:
        host, port = await client.services.resolve(service.namespace, service.name, service.port)
    except HookFailed as error:
        return error.message
    shown = f"[{host}]" if ":" in host else host
    url = f"https://{shown}:{port}{path}"
    try:
        answer = await read(client, config, path, {"User-Agent": "Go-http-client/1.1", **AGGREGATOR}, _SECONDS)
    except HookFailed as error:
        why = error.message
        if why == "context deadline exceeded":
            why += " (Client.Timeout exceeded while awaiting headers)"
        return f"failing or missing response from {url}: Get {quoted(url)}: {why}"
    if not 200 <= answer.status < 300:
        return f"failing or missing response from {url}: bad status from {url}: {answer.status}"
    return None


def _has_endpoint(endpoint_slice: Document, port_name: str) -> bool:
    endpoints: Iterable[Document] = endpoint_slice.get("endpoints") or []
    ports: Iterable[Document] = endpoint_slice.get("ports") or []
    ready = any((endpoint.get("conditions") or {}).get("ready") is not False for endpoint in endpoints)
    return ready and any(p.get("name") == port_name and p.get("port") is not None for p in ports)


def with_condition(conditions: Iterable[Document], condition: Document) -> list[Document]:
    """Return the conditions with `condition` in place of the one of the same type.

    If the status of the condition is unchanged, the old lastTransitionTime is kept.
    """
    merged = [_merged(known, condition) if known["type"] == condition["type"] else known for known in conditions]
    return merged if any(known["type"] == condition["type"] for known in merged) else [*merged, condition]


def is_known(document: Document, condition: Document) -> bool:
    """True if the status of the APIService already contains this condition. The lastTransitionTime is not compared."""
    conditions: Iterable[Document] = document["status"].get("conditions") or []
    return any(_without_time(known) == _without_time(condition) for known in conditions)


def is_available(document: Document) -> bool:
    """True if the condition Available of an APIService is true."""
    conditions: Iterable[Document] = document["status"].get("conditions") or []
    return any(known["type"] == "Available" and known["status"] == "True" for known in conditions)


def _merged(known: Document, condition: Document) -> Document:
    if known["status"] != condition["status"]:
        return condition
    return {**condition, "lastTransitionTime": known["lastTransitionTime"]}


def _without_time(condition: Document) -> Document:
    return {name: value for name, value in condition.items() if name != "lastTransitionTime"}
