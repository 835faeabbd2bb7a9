"""The ``proxy`` subresource of nodes: validates the request as kube-apiserver does, then refuses the connection.

Simulated nodes have no kubelet that listens on an address, so a valid request ends with 503. Sources:
``pkg/registry/core/node/strategy.go`` (``ResourceLocation``), ``pkg/kubelet/client/kubelet_client.go``.
"""

from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from pydantic import Field

from memkube.apimachinery.errors import bad_request, unclassified
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.model import Document
from memkube.apimachinery.query import Query
from memkube.apis.core.v1.proxying import split_scheme_name_port, unreachable
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.streaming import Connection

_PREFERRED: Final = ("Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP")
_KUBELET_PORT: Final = 10250


class NodeProxyOptions(TypeMeta):
    """Query options of a proxy request to a node: the URL path."""

    path: str = Field(default="", description="URL path that is requested from the kubelet.")


async def proxy(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """Raise the ApiError for a proxy request to a node, which is never forwarded.

    The status is 400 for a bad request or address, 404 if the node does not exist, and 503 for a valid request.
    """
    if "dryRun" in query:
        raise bad_request("dryRun is not supported")
    _, node, port = split_scheme_name_port(name, "node")
    status: Document = (await stores.find("", "v1", "nodes").get("", node)).document["status"]
    host = _preferred_address(status.get("addresses") or [])
    _check_proxyable(host)
    reported = status.get("daemonEndpoints", {}).get("kubeletEndpoint", {}).get("Port", 0)
    port = port or str(reported if reported > 0 else _KUBELET_PORT)
    raise unreachable(host, port)


def _preferred_address(addresses: list[Document]) -> str:
    for kind in _PREFERRED:
        for address in addresses:
            if address["type"] == kind:
                return str(address["address"])
    known = " ".join(f"{{{address['type']} {address['address']}}}" for address in addresses)
    raise unclassified(f"no preferred addresses found; known addresses: [{known}]")


def _check_proxyable(host: str) -> None:
    """Raise ApiError 400 if a node's address is a host name, or a loopback, link-local or multicast address.

    Host names are errors, because simulated nodes have no resolvable names.
    """
    try:
        address: IPv4Address | IPv6Address = ip_address(host)
    except ValueError:
        raise bad_request(f"lookup {host}: no such host") from None
    if address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified:
        raise bad_request("address not allowed")
