"""A process on a WebSocket with channels. Source: ``k8s.io/cri-streaming`` (remotecommand/websocket.go)."""

from collections.abc import Callable, Coroutine
from typing import Any, Final

import orjson

from memkube.apimachinery.model import Document
from memkube.endpoints.streams.channels import Channels, Subprotocol
from memkube.endpoints.streams.inbox import Inbox
from memkube.endpoints.streams.terminal import terminal_sizes
from memkube.endpoints.streams.websocket import Socket
from memkube.registry.streaming import ProcessConnection, ProcessStreams, Write

_STDIN, _STDOUT, _STDERR, _ERROR, _RESIZE = range(5)
_COUNT = 5

V5: Final = Subprotocol("v5.channel.k8s.io", closes=True)
"""Whoever offers it gets it."""
SUBPROTOCOLS: Final = (
    Subprotocol("v4.channel.k8s.io"),
    Subprotocol("v4.base64.channel.k8s.io", base64=True),
    Subprotocol("channel.k8s.io", reports_json=False),
    Subprotocol("base64.channel.k8s.io", base64=True, reports_json=False),
    Subprotocol("", reports_json=False),
)


class ChannelProcess:
    """See ProcessCarrier."""

    def __init__(self, socket: Socket, subprotocol: Subprotocol, connection: ProcessConnection) -> None:
        self._connection = connection
        self._stdin, self._sizes = Inbox(), Inbox()
        inboxes = {_RESIZE: self._sizes}
        if connection.stdin:
            inboxes[_STDIN] = self._stdin
        self._channels = Channels(socket, subprotocol, inboxes, _COUNT)
        self.serve: Callable[[], Coroutine[Any, Any, None]] = self._channels.serve

    async def start(self) -> ProcessStreams:
        """An empty message tells the client that the connection stands."""
        connection = self._connection
        lowest = _STDOUT if connection.stdout else _STDERR if connection.stderr else _ERROR
        await self._channels.write(lowest, b"")
        return ProcessStreams(
            stdin=self._stdin.pieces() if connection.stdin else None,
            stdout=self._writer(_STDOUT) if connection.stdout else None,
            stderr=self._writer(_STDERR) if connection.stderr else None,
            tty=connection.tty,
            sizes=terminal_sizes(self._sizes.pieces()),
        )

    async def report(self, status: Document) -> None:
        """The error channel tells; then the connection is closed."""
        if self._channels.subprotocol.reports_json:
            await self._channels.write(_ERROR, orjson.dumps(status))
        elif status["status"] != "Success":
            await self._channels.write(_ERROR, status["message"].encode())
        await self._channels.close()

    def _writer(self, channel: int) -> Write:
        async def write(data: bytes) -> None:
            if data:
                await self._channels.write(channel, data)

        return write
