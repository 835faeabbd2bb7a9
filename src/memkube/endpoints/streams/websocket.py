"""WebSockets that transport streams: their messages, their subprotocols, and streamed text.

Source: ``k8s.io/streaming/pkg/httpstream/wsstream`` (stream.go).
"""

from base64 import b64encode
from collections.abc import AsyncIterator, Sequence
from typing import Final, NamedTuple

from starlette.types import Receive, Send

from memkube.endpoints.streams.sessions import ClientLeft, while_connected


class Socket:
    """A WebSocket whose messages can also be read and written as one stream of bytes."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send

    async def accept(self, subprotocol: str) -> None:
        """Accept the client's handshake, and name `subprotocol` in the response; "" to name none."""
        await self._receive()
        await self._send({"type": "websocket.accept", "subprotocol": subprotocol or None, "headers": []})

    async def message(self) -> bytes | None:
        """Return the bytes of the next binary or text message; None once the client has disconnected."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            return None
        data: bytes | None = message.get("bytes")
        return (message.get("text") or "").encode() if data is None else data

    async def send(self, message: bytes | str) -> None:
        """Send a message: a text message if `message` is a str, otherwise a binary message."""
        kind = "text" if isinstance(message, str) else "bytes"
        await self._send({"type": "websocket.send", kind: message})

    async def close(self) -> None:
        """Close the WebSocket with the code 1000, a normal closure."""
        await self._send({"type": "websocket.close", "code": 1000})

    async def read(self) -> bytes:
        """Return the bytes of the next message; empty once the client has disconnected."""
        while (data := await self.message()) is not None:
            if data:
                return data
        return b""

    async def write(self, data: bytes) -> None:
        """Send bytes as one binary message."""
        await self.send(data)


class Subprotocol(NamedTuple):
    """A WebSocket subprotocol that transports several channels."""

    name: str
    base64: bool = False
    """True if messages are text: the channel number as a digit, followed by base64."""
    closes: bool = False
    """True if a client can close one channel without closing the connection."""
    reports_json: bool = True
    """True if the client gets a Status when the process exits; False if it only gets failures, as text."""


def choose_subprotocol(offered: Sequence[str], supported: Sequence[Subprotocol]) -> Subprotocol | None:
    """Return the first subprotocol that the client offers and that is in `supported`; None if there is none.

    `offered` are the names of the subprotocols that the client offers. If it offers none, it gets the supported
    subprotocol whose name is "".
    """
    known = {subprotocol.name: subprotocol for subprotocol in supported}
    return next((known[name] for name in offered or [""] if name in known), None)


TEXT_SUBPROTOCOLS: Final = (
    Subprotocol("binary.k8s.io"),
    Subprotocol("base64.binary.k8s.io", base64=True),
    Subprotocol(""),
)


async def serve_text(pieces: AsyncIterator[bytes], socket: Socket, subprotocol: Subprotocol) -> None:
    """Send an empty message, and then each of the text's `pieces`, as messages that `subprotocol` encodes.

    As in kube-apiserver, the empty message is sent before the text is read. Returns at the end of the text, or if the
    client disconnects.
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
