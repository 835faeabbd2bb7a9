"""Ports on a WebSocket with channels: two for each port, data and errors.

Source: ``k8s.io/cri-streaming`` (portforward/websocket.go).
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from memkube.endpoints.streams.channels import Channels, Subprotocol
from memkube.endpoints.streams.inbox import Inbox
from memkube.endpoints.streams.ports import forward_failure
from memkube.endpoints.streams.sessions import ClientLeft, while_connected
from memkube.endpoints.streams.websocket import Socket
from memkube.registry.streaming import PortForwarding

SUBPROTOCOLS: Final = (
    Subprotocol("v4.channel.k8s.io"),
    Subprotocol("v4.base64.channel.k8s.io", base64=True),
    Subprotocol(""),
)


class _Port:
    """One connection to one port, as a ByteStream."""

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
    """Connects to each port once; ends with the last of these connections, or when the client leaves."""
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
