"""The ``proxy`` subresource of services: passes a request on to a pod of the service.

Source: ``ResourceLocation`` in ``pkg/registry/core/service/storage/storage.go``.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from memkube.apimachinery.errors import ApiError, GroupResource, bad_request, not_found
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.model import Document
from memkube.apimachinery.query import Query
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.proxying import server_in, split_scheme_name_port, unavailable
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.streaming import Connection

if TYPE_CHECKING:
    from memkube.apis.core.v1.pods.types import Pod


class ServiceProxyOptions(TypeMeta):
    """Query options of a proxy request to a service: the URL path."""

    path: str = Field(default="", description="Path of the request to the service.")


async def proxy(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """Return a connection to a server in a pod behind the service; memkube simulates the servers in pods.

    Raises ApiError 400 for a bad request and 404 if the service does not exist. Raises ApiError 503 if the service does
    not have the requested port, or has no ready endpoint at it that is a pod.
    """
    if "dryRun" in query:
        raise bad_request("dryRun is not supported")
    scheme, service_name, port = split_scheme_name_port(name, "service")
    if _is_number(port):
        port = await _port_name(stores, namespace, service_name, int(port))
    endpoints = await _endpoints(stores, namespace, service_name)
    subsets = endpoints.get("subsets") or []
    if not subsets:
        raise unavailable(f"no endpoints available for service {quoted(service_name)}")
    for ip, number, pod in _backends(subsets, port, namespace):
        backend = await _pod_with_address(stores, namespace, pod, ip)
        if backend is not None:
            return server_in(stores, backend, ip, scheme, str(number))
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
    """Return the Endpoints object of a service.

    If it does not exist, raise ApiError 404 about the service, as kube-apiserver does.
    """
    try:
        return (await stores.find("", "v1", "endpoints").get(namespace, service)).document
    except ApiError as error:
        if error.reason != "NotFound":
            raise
        raise not_found(GroupResource("", "services"), service) from None


def _backends(subsets: list[Document], port: str, namespace: str) -> Iterator[tuple[str, int, str]]:
    """Yield IP address, port number and pod name of each ready endpoint whose target is in the namespace.

    `subsets` are the subsets of the service's Endpoints object, and `port` is the name of the port.
    """
    for subset in subsets:
        numbers = [p["port"] for p in subset.get("ports") or [] if p.get("name", "") == port]
        for address in subset.get("addresses") or []:
            target = address.get("targetRef") or {}
            if target.get("namespace", "") == namespace:
                yield from ((address["ip"], number, target.get("name", "")) for number in numbers)


async def _pod_with_address(stores: Stores, namespace: str, name: str, ip: str) -> "Pod | None":
    """Return the pod with this name; None if it does not exist or no longer has the IP address."""
    try:
        document = (await stores.find("", "v1", "pods").get(namespace, name)).document
    except ApiError:
        return None
    if all(address.get("ip") != ip for address in document["status"].get("podIPs") or []):
        return None
    from memkube.apis.core.v1.pods.types import Pod  # noqa: PLC0415  imported only if the server has pods

    return Pod.from_document(document)
