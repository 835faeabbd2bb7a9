"""Functions shared by the subresources ``pods/proxy``, ``services/proxy`` and ``nodes/proxy``.

Requests to pods and services reach servers that memkube simulates in the containers. Requests to nodes fail, because
simulated nodes have no reachable address.
"""

from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Final, NamedTuple

from memkube.apimachinery.errors import ApiError, bad_request
from memkube.apimachinery.ip_addresses import parse_unmapped_ip
from memkube.apimachinery.shown_values import quoted
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.streaming import HttpAnswer, HttpRequest, ProxiedServer, StreamFailed

if TYPE_CHECKING:
    from memkube.apis.core.v1.pods.types import Pod

_SCHEMES: Final = ("", "http", "https")
_WITH_PORT: Final = 2
_WITH_SCHEME: Final = 3


_PORTS: Final = {"http": 80, "https": 443, "": 80}
"""Port numbers of the schemes ``http`` and ``https``; the empty scheme means ``http``."""
_BROADCAST: Final = IPv4Address("255.255.255.255")


class Target(NamedTuple):
    """Scheme, name and port of an object to which requests are proxied. Scheme and port may be empty."""

    scheme: str
    name: str
    port: str


def split_scheme_name_port(text: str, kind: str) -> Target:
    """Split the name in a proxy request: ``name``, ``name:port`` or ``scheme:name:port`` (SplitSchemeNamePort).

    `kind` is the kind of the named object, such as ``pod``, for the error message. Raises ApiError 400 for any other
    form.
    """
    parts = text.split(":")
    scheme = parts.pop(0) if len(parts) == _WITH_SCHEME else ""
    if len(parts) > _WITH_PORT or not parts[0] or scheme not in _SCHEMES:
        raise bad_request(f"invalid {kind} request {quoted(text)}")
    return Target(scheme, parts[0], parts[1] if len(parts) == _WITH_PORT else "")


def unavailable(message: str) -> ApiError:
    """Return an ApiError 503 (ServiceUnavailable) with this message."""
    return ApiError(503, "ServiceUnavailable", message)


def unreachable(host: str, port: int | str, why: str = "connect: connection refused") -> ApiError:
    """Return an ApiError 503 about a failed connection; `why` is the reason, in the words of Go's ``net``."""
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return unavailable(f"error trying to reach service: dial tcp {where}: {why}")


def is_global_unicast(host: str) -> bool:
    """True if the text is an IP address to which the proxy connects (Go's ``IsGlobalUnicast``)."""
    address = parse_unmapped_ip(host)
    if address is None or address == _BROADCAST:
        return False
    return not (address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified)


def server_in(stores: Stores, pod: "Pod", host: str, scheme: str, port: str) -> ProxiedServer:
    """Return the server at a port of a pod, for proxy requests. `host` is the IP address of the pod.

    Whether a process listens on the port is only checked for each request to the server. A request raises ApiError 503
    if no process listens, or if the scheme is HTTPS and the process does not use TLS.
    """

    async def answer(request: HttpRequest) -> HttpAnswer:
        number = int(port) if port.isdecimal() else _PORTS.get(port or scheme)
        if number is None:
            raise unavailable(f"error trying to reach service: dial tcp: lookup tcp/{port}: unknown port")
        nodes = stores.kind_services.node_connections()
        if nodes is None:
            raise unreachable(host, number)
        try:
            return await nodes.request(pod, number, request._replace(uses_tls=scheme == "https"))
        except ConnectionRefusedError:
            raise unreachable(host, number) from None
        except TimeoutError:
            raise unreachable(host, number, "i/o timeout") from None
        except StreamFailed as error:
            raise unavailable(f"error trying to reach service: {error}") from None

    return ProxiedServer(answer)
