"""Handshake of an upgrade to SPDY: the choice of a protocol version, and the upgraded connection.

Sources: ``k8s.io/streaming`` (httpstream, wsstream).
"""

from collections.abc import Sequence

from starlette.types import Receive, Scope, Send

from memkube.apimachinery.errors import ApiError
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.transport import SPDY, UPGRADE

_TUNNEL, _SUFFIX = "SPDY/3.1+", ".k8s.io"
_VERSIONS = b"x-stream-protocol-version"


def asks_for_upgrade(request: ApiRequest) -> bool:
    """Return True if the client asks to upgrade the connection."""
    return any(name == b"connection" and b"upgrade" in value.lower() for name, value in request.scope["headers"])


def tunneled_protocols(offered: Sequence[str]) -> list[str]:
    """Return the protocols that a client offers for SPDY inside a WebSocket (KEP-4006).

    `offered` are the WebSocket subprotocols that the client offers. Subprotocols whose names begin with ``SPDY/3.1+``
    are for SPDY inside the WebSocket; they are returned without this prefix.
    """
    return [name.removeprefix(_TUNNEL) for name in offered if name.startswith(_TUNNEL) and name.endswith(_SUFFIX)]


def requested_protocols(request: ApiRequest) -> list[str]:
    """Return the protocol versions that a client offers in X-Stream-Protocol-Version.

    Raises ApiError 400 if the client offers none.
    """
    headers = request.scope["headers"]
    values = [value.decode("latin-1") for name, value in headers if name == _VERSIONS]
    if not values:
        why = f"header X-Stream-Protocol-Version does not exist in request with {len(headers)} headers"
        raise _unable(400, why)
    offered = [name for value in values for part in value.split(",") if (name := part.strip(" "))]
    if not offered:
        why = f"header X-Stream-Protocol-Version contains [{' '.join(values)}], but no valid protocols"
        raise _unable(400, why)
    return offered


def choose_protocol(offered: Sequence[str], supported: Sequence[str]) -> str:
    """Return the first protocol that the client offers and the server supports.

    Raises ApiError 403 if the server supports none of them.
    """
    chosen = next((name for name in offered if name in supported), None)
    if chosen is None:
        both = f"client supports [{' '.join(offered)}], server accepts [{' '.join(supported)}]"
        raise _unable(403, f"unable to negotiate protocol: {both}")
    return chosen


def check_upgrade(request: ApiRequest) -> None:
    """Raise ApiError 400 if the request does not ask for an upgrade to SPDY/3.1."""
    if SPDY.lower() not in request.header(b"upgrade").lower():
        raise _unable(400, "missing upgrade headers in request")


def _unable(code: int, why: str) -> ApiError:
    return ApiError(code, "", f"unable to upgrade: {why}")


def can_upgrade(scope: Scope) -> bool:
    """Return True if the server's transport can upgrade the connection of this request."""
    return UPGRADE in scope.get("extensions", ())


class Upgraded:
    """An upgraded connection: a stream of bytes to and from the client."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send

    async def accept(self, headers: Sequence[tuple[bytes, bytes]]) -> None:
        """Accept the upgrade: send the response with status 101 and these headers."""
        await self._send({"type": "http.upgrade.accept", "headers": headers})

    async def read(self) -> bytes:
        """Return the next bytes; empty once the client has disconnected."""
        message = await self._receive()
        data: bytes = message.get("bytes", b"")
        return data

    async def write(self, data: bytes) -> None:
        """Send bytes. Raises OSError once the client has disconnected."""
        await self._send({"type": "http.upgrade.send", "bytes": data})
