"""Channels on a WebSocket: the first byte of each message is the number of its channel.

exec and attach have a channel for each stream of the process; port-forward has two for each port, for data and for
errors.

Sources: ``k8s.io/streaming/pkg/httpstream/wsstream``; ``k8s.io/cri-streaming`` (remotecommand/websocket.go,
portforward/websocket.go).
"""

import asyncio
import binascii
from base64 import b64decode, b64encode
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import orjson

from memkube.apimachinery.model import Document
from memkube.endpoints.streams.sessions import ClientLeft, Inbox, forward_failure, terminal_sizes, while_connected
from memkube.endpoints.streams.websocket import Socket, Subprotocol
from memkube.registry.declarations.streaming import PortForwarding, ProcessConnection, ProcessStreams, Write

_CLOSE_SIGNAL = 255
_CLOSE_LENGTH = 2
_LARGEST_MESSAGE = 256 * 1024
_STDIN, _STDOUT, _STDERR, _ERROR, _RESIZE = range(5)
_COUNT = 5
_READING_SECONDS: Final = 0.02
"""Seconds to wait before a command starts, in the subprotocol v5.channel.k8s.io.

client-go discards output that arrives before it has created its streams (``tools/remotecommand/websocket.go`` of 1.30).
In a real cluster, commands take longer than this to start.
"""

PROCESS_V5: Final = Subprotocol("v5.channel.k8s.io", closes=True)
"""The newest WebSocket subprotocol of exec and attach. The server chooses it if the client offers it."""
PROCESS_SUBPROTOCOLS: Final = (
    Subprotocol("v4.channel.k8s.io"),
    Subprotocol("v4.base64.channel.k8s.io", base64=True),
    Subprotocol("channel.k8s.io", reports_json=False),
    Subprotocol("base64.channel.k8s.io", base64=True, reports_json=False),
    Subprotocol("", reports_json=False),
)
PORT_SUBPROTOCOLS: Final = (
    Subprotocol("v4.channel.k8s.io"),
    Subprotocol("v4.base64.channel.k8s.io", base64=True),
    Subprotocol(""),
)


class Channels:
    """Distributes the messages of a WebSocket to its channels, and sends messages on a channel."""

    def __init__(self, socket: Socket, subprotocol: Subprotocol, inboxes: Mapping[int, Inbox], count: int) -> None:
        self.subprotocol = subprotocol
        self._socket = socket
        self._inboxes = inboxes
        self._count = count

    async def serve(self) -> None:
        """Receive messages and put their bytes into the inbox of their channel.

        Returns when the client disconnects or violates the protocol.
        """
        try:
            while (message := await self._socket.message()) is not None:
                if message and not await self._take(message):
                    return
        finally:
            for inbox in self._inboxes.values():
                await inbox.end()

    async def write(self, channel: int, data: bytes) -> None:
        """Send bytes on a channel. If `data` is empty, an empty message is sent."""
        for start in range(0, max(len(data), 1), _LARGEST_MESSAGE):
            part = data[start : start + _LARGEST_MESSAGE]
            if self.subprotocol.base64:
                await self._socket.send(chr(ord("0") + channel) + b64encode(part).decode())
            else:
                await self._socket.send(bytes((channel,)) + part)

    async def close(self) -> None:
        """Close the WebSocket."""
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
    """Decode the base64 text of a client's message. Malformed text is decoded to no bytes."""
    try:
        return b64decode(data, validate=True)
    except binascii.Error:
        return b""


class ChannelProcess:
    """Carries the standard streams of a process on channels of a WebSocket."""

    def __init__(self, socket: Socket, subprotocol: Subprotocol, connection: ProcessConnection) -> None:
        self._connection = connection
        self._stdin, self._sizes = Inbox(), Inbox()
        inboxes = {_RESIZE: self._sizes}
        if connection.stdin:
            inboxes[_STDIN] = self._stdin
        self._channels = Channels(socket, subprotocol, inboxes, _COUNT)
        self.serve: Callable[[], Coroutine[Any, Any, None]] = self._channels.serve

    async def start(self) -> ProcessStreams:
        """Tell the client with an empty message that the connection is open. Return the streams of the process."""
        connection = self._connection
        lowest = _STDOUT if connection.stdout else _STDERR if connection.stderr else _ERROR
        # If the client has disconnected already, the command still reads the input that was sent, as in a container.
        with suppress(OSError):
            await self._channels.write(lowest, b"")
        if self._channels.subprotocol is PROCESS_V5:
            await asyncio.sleep(_READING_SECONDS)
        return ProcessStreams(
            stdin=self._stdin.pieces() if connection.stdin else None,
            stdout=self._writer(_STDOUT) if connection.stdout else None,
            stderr=self._writer(_STDERR) if connection.stderr else None,
            tty=connection.tty,
            sizes=terminal_sizes(self._sizes.pieces()),
        )

    async def report(self, status: Document) -> None:
        """Send the exit status of the process on the error channel, and close the connection."""
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


class _Port:
    """The connection to one port, as a stream of bytes to and from the client."""

    def __init__(self, channels: Channels, channel: int, inbox: Inbox) -> None:
        self._channels = channels
        self._channel = channel
        self.read = inbox.read

    async def write(self, data: bytes) -> None:
        if data:
            await self._channels.write(self._channel, data)


async def serve_channel_ports(
    forward: PortForwarding, ports: Sequence[int], socket: Socket, subprotocol: Subprotocol
) -> None:
    """Connect the client to each port in `ports` once, with two channels of the WebSocket for each.

    `forward` gets a port and a stream of the client, and forwards the stream to this port of the pod. `subprotocol`
    determines how messages are encoded. Returns when all connections to ports have ended, or the client disconnects.
    """
    inboxes = {2 * index: Inbox() for index in range(len(ports))}
    channels = Channels(socket, subprotocol, inboxes, 2 * len(ports))

    async def serve_port(index: int, port: int) -> None:
        data, errors = 2 * index, 2 * index + 1
        for channel in (data, errors):
            await channels.write(channel, port.to_bytes(2, "little"))
        failure = await forward_failure(forward, port, _Port(channels, data, inboxes[data]))
        if failure:
            await channels.write(errors, failure.encode())

    async def serve_all() -> None:
        async with asyncio.TaskGroup() as group:
            for index, port in enumerate(ports):
                group.create_task(serve_port(index, port))

    try:
        await while_connected(channels.serve(), serve_all())
        await channels.close()
    except* (ClientLeft, OSError):
        pass
