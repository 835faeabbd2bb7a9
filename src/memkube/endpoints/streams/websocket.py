"""WebSockets as a carrier of streams: their messages, their subprotocols, and streamed text.

Source: ``k8s.io/streaming/pkg/httpstream/wsstream`` (stream.go).
"""

from base64 import b64encode
from collections.abc import AsyncIterator, Sequence
from typing import Final, NamedTuple

from starlette.types import Receive, Send

from memkube.endpoints.streams.sessions import ClientLeft, while_connected


class Socket:
    """A WebSocket whose messages are read and written as a stream of bytes."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send

    async def accept(self, subprotocol: str) -> None:
        """Accept the client's handshake."""
        await self._receive()
        await self._send({"type": "websocket.accept", "subprotocol": subprotocol or None, "headers": []})

    async def message(self) -> bytes | None:
        """Return the next message, binary or text; None once the client has disconnected."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            return None
        data: bytes | None = message.get("bytes")
        return (message.get("text") or "").encode() if data is None else data

    async def send(self, message: bytes | str) -> None:
        """Send a binary or a text message, by the type of the argument."""
        kind = "text" if isinstance(message, str) else "bytes"
        await self._send({"type": "websocket.send", kind: message})

    async def close(self) -> None:
        """Close the connection."""
        await self._send({"type": "websocket.close", "code": 1000})

    async def read(self) -> bytes:
        """Return the next bytes; empty once the client has disconnected."""
        while (data := await self.message()) is not None:
            if data:
                return data
        return b""

    async def write(self, data: bytes) -> None:
        """Send bytes as a message."""
        await self.send(data)


class Subprotocol(NamedTuple):
    """A WebSocket subprotocol that carries several channels."""

    name: str
    base64: bool = False
    """True if messages are text: a digit followed by base64."""
    closes: bool = False
    """True if a client can close a single channel."""
    reports_json: bool = True
    """True if the exit of a process is reported as a Status; False if only failures are reported, as text."""


def choose_subprotocol(offered: Sequence[str], supported: Sequence[Subprotocol]) -> Subprotocol | None:
    """Return the first subprotocol of the client that is supported; the unnamed one if it offers none."""
    known = {subprotocol.name: subprotocol for subprotocol in supported}
    return next((known[name] for name in offered or [""] if name in known), None)


TEXT_SUBPROTOCOLS: Final = (
    Subprotocol("binary.k8s.io"),
    Subprotocol("base64.binary.k8s.io", base64=True),
    Subprotocol(""),
)


async def serve_text(pieces: AsyncIterator[bytes], socket: Socket, subprotocol: Subprotocol) -> None:
    """Send an empty message, and then each piece of the text as a message.

    Returns at the end of the text, or when the client disconnects.
    """

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
