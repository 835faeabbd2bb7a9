"""``nodes/proxy``: where a node's kubelet would be asked, and why nobody is.

Nothing listens at the addresses of simulated nodes, so that the way always ends at a refusal. Sources:
``pkg/registry/core/node/strategy.go`` (``ResourceLocation``), ``pkg/kubelet/client/kubelet_client.go``.
"""

from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from pydantic import Field

from memkube.apimachinery.errors import ApiError, bad_request, unclassified
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.model import Document
from memkube.apimachinery.query import Query
from memkube.apimachinery.shown_values import quoted
from memkube.registry.interface import Stores
from memkube.registry.streaming import Connection

_PREFERRED: Final = ("Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP")
_KUBELET_PORT: Final = 10250
_SCHEMES: Final = ("", "http", "https")
_WITH_PORT: Final = 2
_WITH_SCHEME: Final = 3


class NodeProxyOptions(TypeMeta):
    """A request to pass on to a node."""

    path: str = Field(default="", description="Path to request of the node's kubelet.")


async def proxy(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """Finds the address of the node's kubelet. Raises ApiError 400, 404, 500 and 503."""
    if "dryRun" in query:
        raise bad_request("dryRun is not supported")
    node, port = _split(name)
    status: Document = (await stores.find("", "v1", "nodes").get("", node)).document["status"]
    host = _preferred_address(status.get("addresses") or [])
    _check_proxyable(host)
    reported = status.get("daemonEndpoints", {}).get("kubeletEndpoint", {}).get("Port", 0)
    port = port or str(reported if reported > 0 else _KUBELET_PORT)
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    message = f"error trying to reach service: dial tcp {where}: connect: connection refused"
    raise ApiError(503, "ServiceUnavailable", message)


def _split(text: str) -> tuple[str, str]:
    """Node and port of ``name``, ``name:port`` or ``scheme:name:port``. Raises ApiError 400."""
    parts = text.split(":")
    scheme = parts.pop(0) if len(parts) == _WITH_SCHEME else ""
    if len(parts) > _WITH_PORT or not parts[0] or scheme not in _SCHEMES:
        raise bad_request(f"invalid node request {quoted(text)}")
    return parts[0], parts[1] if len(parts) == _WITH_PORT else ""


def _preferred_address(addresses: list[Document]) -> str:
    for kind in _PREFERRED:
        for address in addresses:
            if address["type"] == kind:
                return str(address["address"])
    known = " ".join(f"{{{address['type']} {address['address']}}}" for address in addresses)
    raise unclassified(f"no preferred addresses found; known addresses: [{known}]")


def _check_proxyable(host: str) -> None:
    """The address leads to another machine; names are of simulated nodes, which no resolver knows."""
    try:
        address: IPv4Address | IPv6Address = ip_address(host)
    except ValueError:
        raise bad_request(f"lookup {host}: no such host") from None
    if address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified:
        raise bad_request("address not allowed")
