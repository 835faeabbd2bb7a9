"""A WebSocket as the carriers use it, its subprotocols, and text that streams over it.

Source: ``k8s.io/streaming/pkg/httpstream/wsstream`` (stream.go).
"""

from base64 import b64encode
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.types import Receive, Send

from memkube.endpoints.streams.sessions import ClientLeft, while_connected


class Socket:
    """A connection that is to become a WebSocket; its messages are a ByteStream."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send

    async def accept(self, subprotocol: str) -> None:
        """Answers the client's handshake."""
        await self._receive()
        await self._send({"type": "websocket.accept", "subprotocol": subprotocol or None, "headers": []})

    async def message(self) -> bytes | None:
        """The next message, binary or text; None when the client has left."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            return None
        data: bytes | None = message.get("bytes")
        return (message.get("text") or "").encode() if data is None else data

    async def send(self, message: bytes | str) -> None:
        """Sends a message of the kind that its type says."""
        kind = "text" if isinstance(message, str) else "bytes"
        await self._send({"type": "websocket.send", kind: message})

    async def close(self) -> None:
        """Ends the connection in good order."""
        await self._send({"type": "websocket.close", "code": 1000})

    async def read(self) -> bytes:
        """The next bytes; empty when the client has left."""
        while (data := await self.message()) is not None:
            if data:
                return data
        return b""

    async def write(self, data: bytes) -> None:
        """Sends bytes as a message."""
        await self.send(data)


@dataclass(frozen=True, slots=True)
class Subprotocol:
    """What the subprotocols with channels differ in."""

    name: str
    base64: bool = False
    """Whether messages are text: a digit, and base64 behind it."""
    closes: bool = False
    """Whether clients can close one channel."""
    reports_json: bool = True
    """Whether the end of a process is told as a Status; otherwise only failures are, as text."""


def choose_subprotocol(offered: Sequence[str], supported: Sequence[Subprotocol]) -> Subprotocol | None:
    """The first that the client offers and the server supports; who offers none gets the one without a name."""
    known = {subprotocol.name: subprotocol for subprotocol in supported}
    return next((known[name] for name in offered or [""] if name in known), None)


TEXT_SUBPROTOCOLS: Final = (
    Subprotocol("binary.k8s.io"),
    Subprotocol("base64.binary.k8s.io", base64=True),
    Subprotocol(""),
)


async def serve_text(pieces: AsyncIterator[bytes], socket: Socket, subprotocol: Subprotocol) -> None:
    """Sends an empty message, then each piece as one, until the text ends or the client leaves."""

    async def send_all() -> None:
        await socket.send("" if subprotocol.base64 else b"")
        async for piece in pieces:
            await socket.send(b64encode(piece).decode() if subprotocol.base64 else piece)

    try:
        await while_connected(_ignored(socket), send_all())
        await socket.close()
    except (ClientLeft, OSError):
        return


async def _ignored(socket: Socket) -> None:
    while await socket.message() is not None:
        pass
