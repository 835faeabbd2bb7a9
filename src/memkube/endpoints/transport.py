"""The interface between endpoints and the server's HTTP transport, beyond what ASGI defines.

Each part is an ASGI extension: the transport offers it in ``scope["extensions"]``, and endpoints do without it if the
transport does not, as another ASGI server does.
"""

from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

from starlette.types import Scope

WHOLE: Final = "memkube.response.whole"
"""ASGI extension: one message has the status, the headers and the whole body of a response, sent in one write."""
UPGRADE: Final = "memkube.http.upgrade"
"""ASGI extension: a connection can change from HTTP to another protocol.

The application sends ``http.upgrade.accept`` with headers instead of a response. From then on it receives
``http.upgrade.receive`` and sends ``http.upgrade.send``, both with ``bytes``; the connection ends with the application.
"""
BODY_WRITER: Final = "memkube.response.body_writer"
"""ASGI extension: a FindBodyWriter, for streamed bodies that are written without waking the application's task."""
CLIENT_CERTIFICATES: Final = "memkube.tls.client_certificates"
"""ASGI extension: a tuple of the certificates that the client has sent on its connection, in DER.

The first is its own, and the others may be those of its issuers. None of them is verified.
"""
SPDY: Final = "SPDY/3.1"


class BodyWriter(Protocol):
    """Writes pieces of a streamed response body without awaiting the ASGI ``send``."""

    @property
    def is_writable(self) -> bool:
        """True while the body is being streamed and the client keeps up with it."""

    def write(self, piece: bytes) -> None:
        """Write a piece of the body. Only allowed while `is_writable`."""

    def unsent_bytes(self) -> int:
        """Return the number of bytes that wait in the connection's write buffer because the client reads slowly."""


FindBodyWriter: TypeAlias = Callable[[Scope], BodyWriter | None]
"""Function that returns the BodyWriter for the response to the request with this scope, or None."""


def body_writer(scope: Scope) -> BodyWriter | None:
    """Return the BodyWriter for the response to a request; None if the transport does not offer one."""
    find: FindBodyWriter | None = scope.get("extensions", {}).get(BODY_WRITER)
    return None if find is None else find(scope)
