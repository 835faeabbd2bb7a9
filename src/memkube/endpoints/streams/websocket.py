"""A WebSocket as the carriers use it."""

from starlette.types import Receive, Send


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
