"""The ``proxy`` subresource of services: finds a pod as kube-apiserver does, then refuses the connection.

Simulated pods have no reachable address. Source: ``ResourceLocation`` in
``pkg/registry/core/service/storage/storage.go``.
"""

from collections.abc import Iterator

from pydantic import Field

from memkube.apimachinery.errors import ApiError, GroupResource, bad_request, not_found
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.model import Document
from memkube.apimachinery.query import Query
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.proxying import split_target, unavailable, unreachable
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.streaming import Connection


class ServiceProxyOptions(TypeMeta):
    """Query options of a proxy request to a service: the URL path."""

    path: str = Field(default="", description="Path of the request to the service.")


async def proxy(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """Raise the ApiError for a proxy request to a service, which is never forwarded.

    The status is 400 for a bad request or address, 404 if the service does not exist, and 503 in all other cases.
    """
    if "dryRun" in query:
        raise bad_request("dryRun is not supported")
    service_name, port = split_target(name, "service")
    if _is_number(port):
        port = await _port_name(stores, namespace, service_name, int(port))
    endpoints = await _endpoints(stores, namespace, service_name)
    subsets = endpoints.get("subsets") or []
    if not subsets:
        raise unavailable(f"no endpoints available for service {quoted(service_name)}")
    for ip, number, pod in _backends(subsets, port, namespace):
        if await _has_address(stores, namespace, pod, ip):
            raise unreachable(ip, number)
    raise unavailable(f"no endpoints available for service {quoted(name)}")


def _is_number(port: str) -> bool:
    digits = port[1:] if port[:1] in ("+", "-") else port
    return digits.isascii() and digits.isdigit()


async def _port_name(stores: Stores, namespace: str, service: str, number: int) -> str:
    stored = await stores.find("", "v1", "services").get(namespace, service)
    for port in stored.document["spec"].get("ports") or []:
        if port["port"] == number:
            return str(port.get("name", ""))
    raise unavailable(f"no service port {number} found for service {quoted(service)}")


async def _endpoints(stores: Stores, namespace: str, service: str) -> Document:
    """Return the Endpoints of a service.

    If they do not exist, raise ApiError 404 about the service, as kube-apiserver does.
    """
    try:
        return (await stores.find("", "v1", "endpoints").get(namespace, service)).document
    except ApiError as error:
        if error.reason != "NotFound":
            raise
        raise not_found(GroupResource("", "services"), service) from None


def _backends(subsets: list[Document], port: str, namespace: str) -> Iterator[tuple[str, int, str]]:
    """Yield (address, port, pod name) of ready endpoints that are pods of the same namespace."""
    for subset in subsets:
        numbers = [p["port"] for p in subset.get("ports") or [] if p.get("name", "") == port]
        for address in subset.get("addresses") or []:
            target = address.get("targetRef") or {}
            if target.get("namespace", "") == namespace:
                yield from ((address["ip"], number, target.get("name", "")) for number in numbers)


async def _has_address(stores: Stores, namespace: str, pod: str, ip: str) -> bool:
    try:
        stored = await stores.find("", "v1", "pods").get(namespace, pod)
    except ApiError:
        return False
    return any(address.get("ip") == ip for address in stored.document["status"].get("podIPs") or [])
