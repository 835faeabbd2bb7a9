"""Channels on a WebSocket: each message begins with the number of the channel that it belongs to.

Source: ``k8s.io/streaming/pkg/httpstream/wsstream``.
"""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass

from memkube.endpoints.streams.inbox import Inbox
from memkube.endpoints.streams.websocket import Socket

_CLOSE_SIGNAL = 255
_CLOSE_LENGTH = 2
_LARGEST_MESSAGE = 256 * 1024


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


class Channels:
    """Takes messages apart for whoever reads the channels, and puts together what is written to them."""

    def __init__(self, socket: Socket, subprotocol: Subprotocol, inboxes: Mapping[int, Inbox], count: int) -> None:
        self.subprotocol = subprotocol
        self._socket = socket
        self._inboxes = inboxes
        self._count = count

    async def serve(self) -> None:
        """Fills the inboxes until the client leaves or breaks the protocol."""
        try:
            while (message := await self._socket.message()) is not None:
                if message and not await self._take(message):
                    return
        finally:
            for inbox in self._inboxes.values():
                await inbox.end()

    async def write(self, channel: int, data: bytes) -> None:
        """Sends bytes on a channel; none at all are a message too."""
        for start in range(0, max(len(data), 1), _LARGEST_MESSAGE):
            part = data[start : start + _LARGEST_MESSAGE]
            if self.subprotocol.base64:
                await self._socket.send(chr(ord("0") + channel) + b64encode(part).decode())
            else:
                await self._socket.send(bytes((channel,)) + part)

    async def close(self) -> None:
        """Ends the connection."""
        await self._socket.close()

    async def _take(self, message: bytes) -> bool:
        channel, data = message[0], message[1:]
        if self.subprotocol.closes and channel == _CLOSE_SIGNAL:
            if len(message) != _CLOSE_LENGTH or message[1] >= self._count:
                return False
            if closed := self._inboxes.get(message[1]):
                await closed.end()
            return True
        if self.subprotocol.base64:
            channel -= ord("0")
        inbox = self._inboxes.get(channel)
        if inbox is not None:
            await inbox.put(_decoded(data) if self.subprotocol.base64 else data)
        return True


def _decoded(data: bytes) -> bytes:
    """What is no base64 is passed over."""
    try:
        return b64decode(data, validate=True)
    except binascii.Error:
        return b""
