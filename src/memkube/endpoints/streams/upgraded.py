"""A connection that is no HTTP any more, as the carriers use it.

ASGI has no word for it but WebSockets, so the server's own protocol offers an extension: an application that finds
`EXTENSION` in its scope may send ``http.upgrade.accept`` with headers instead of a response; from then on it receives
``http.upgrade.receive`` and sends ``http.upgrade.send``, both with ``bytes``, and the connection ends with it.
"""

from collections.abc import Sequence
from typing import Final

from starlette.types import Receive, Scope, Send

EXTENSION: Final = "memkube.http.upgrade"


def can_upgrade(scope: Scope) -> bool:
    """Whether the request asks for an upgrade that the server can make."""
    return EXTENSION in scope.get("extensions", ())


class Upgraded:
    """A ByteStream, once it is accepted."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send

    async def accept(self, headers: Sequence[tuple[bytes, bytes]]) -> None:
        """Answers 101."""
        await self._send({"type": "http.upgrade.accept", "headers": headers})

    async def read(self) -> bytes:
        """The next bytes; empty when the client has left."""
        message = await self._receive()
        data: bytes = message.get("bytes", b"")
        return data

    async def write(self, data: bytes) -> None:
        """Sends bytes. Raises OSError when the client has left."""
        await self._send({"type": "http.upgrade.send", "bytes": data})
