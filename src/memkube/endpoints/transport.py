"""Features of the server's HTTP transport that ASGI itself does not have.

Each feature is an ASGI extension. The transport lists it in ``scope["extensions"]``; on other ASGI servers, which do
not list it, endpoints work without it.
"""

from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

from starlette.types import Scope

WHOLE: Final = "memkube.response.whole"
"""ASGI extension: a single message with the status, the headers and the `pieces` of the body of a response.

The transport sends the whole response in one write. A long body is not copied.
"""
UPGRADE: Final = "memkube.http.upgrade"
"""ASGI extension: a connection can be upgraded from HTTP to another protocol.

The application sends ``http.upgrade.accept`` with headers instead of a response. From then on it receives
``http.upgrade.receive`` and sends ``http.upgrade.send``, both with ``bytes``. The connection ends when the application
returns.
"""
BODY_WRITER: Final = "memkube.response.body_writer"
"""ASGI extension: a function of type FindBodyWriter. With it, an application can write the pieces of a streamed body
without waking its task."""
CLIENT_CERTIFICATES: Final = "memkube.tls.client_certificates"
"""ASGI extension: a tuple of the certificates that the client has sent on its connection, in DER.

The first certificate is the client's own, and the others may be those of its issuers. None of them has been verified.
"""
SPDY: Final = "SPDY/3.1"


class BodyWriter(Protocol):
    """Writes pieces of a streamed response body without awaiting the ASGI ``send``."""

    @property
    def is_writable(self) -> bool:
        """True while the body is being streamed and the client reads fast enough."""

    def write(self, piece: bytes) -> None:
        """Write a piece of the body. Must not be called unless `is_writable` is true."""

    def unsent_bytes(self) -> int:
        """Return the number of bytes in the connection's write buffer, which the client has not received yet."""


FindBodyWriter: TypeAlias = Callable[[Scope], BodyWriter | None]
"""Function that returns the BodyWriter for the request with this scope; None if the request has none."""


def body_writer(scope: Scope) -> BodyWriter | None:
    """Return the BodyWriter for the response to a request; None if the transport does not offer one."""
    find: FindBodyWriter | None = scope.get("extensions", {}).get(BODY_WRITER)
    return None if find is None else find(scope)
