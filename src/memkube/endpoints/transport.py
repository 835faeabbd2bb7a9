"""The interface between endpoints and the server's HTTP transport, beyond what ASGI defines.

Each part is an ASGI extension: the transport offers it in ``scope["extensions"]``, and endpoints do without it if the
transport does not, as another ASGI server does.
"""

from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

from starlette.types import Scope

WHOLE: Final = "memkube.response.whole"
"""Extension: a message of this type has status, headers and the whole body of a response, which leaves in one write."""
UPGRADE: Final = "memkube.http.upgrade"
"""Extension: a connection can leave HTTP for a protocol of its own.

The application sends ``http.upgrade.accept`` with headers instead of a response. From then on it receives
``http.upgrade.receive`` and sends ``http.upgrade.send``, both with ``bytes``; the connection ends with the application.
"""
BODY_WRITER: Final = "memkube.response.body_writer"
"""Extension: a FindBodyWriter, for streams whose pieces are written without waking the application's task."""
SPDY: Final = "SPDY/3.1"


class BodyWriter(Protocol):
    """Writes pieces of a streamed response body at once, instead of by awaiting ``send``."""

    @property
    def is_writable(self) -> bool:
        """True while the body is being streamed and the client keeps up with it."""

    def write(self, piece: bytes) -> None:
        """Write a piece of the body; only while `is_writable`."""

    def unsent_bytes(self) -> int:
        """Return the number of bytes that the client has not taken from the connection's buffer yet."""


FindBodyWriter: TypeAlias = Callable[[Scope], BodyWriter | None]
"""Returns the writer of the response to the request with this scope, if the connection serves that request."""


def body_writer(scope: Scope) -> BodyWriter | None:
    """Return the writer of the response to a request; None if the transport offers none."""
    find: FindBodyWriter | None = scope.get("extensions", {}).get(BODY_WRITER)
    return None if find is None else find(scope)
