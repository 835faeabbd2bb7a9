"""Text that streams over a WebSocket. Source: ``k8s.io/streaming/pkg/httpstream/wsstream`` (stream.go)."""

from base64 import b64encode
from collections.abc import AsyncIterator
from typing import Final

from memkube.endpoints.streams.channels import Subprotocol
from memkube.endpoints.streams.sessions import ClientLeft, while_connected
from memkube.endpoints.streams.websocket import Socket

SUBPROTOCOLS: Final = (
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
