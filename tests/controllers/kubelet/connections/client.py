"""A client that is connected to a container's process, as the API server connects it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from memkube.apis.core.v1.pods.stream_options import PodLogOptions
from memkube.apis.core.v1.pods.types import Pod
from memkube.registry.declarations.kind_services import NodeConnections
from memkube.registry.declarations.streaming import ProcessStreams, TerminalSize
from tests.controllers.kubelet.sandbox import Sandbox


class Client:
    """Sends input to the process, and records the output."""

    def __init__(self, *typed: bytes, tty: bool = False) -> None:
        self.output = b""
        self.errors = b""
        self._typed: asyncio.Queue[bytes] = asyncio.Queue()
        self._changed = asyncio.Event()
        for piece in typed:
            self.type(piece)
        self.streams = ProcessStreams(self._stdin(), self._stdout, None if tty else self._stderr, tty, _no_sizes())

    def type(self, piece: bytes) -> None:
        """Send input; the input stream stays open unless `piece` is empty."""
        self._typed.put_nowait(piece)

    @property
    def unread(self) -> int:
        """Number of pieces of input that the process has not read yet."""
        return self._typed.qsize()

    async def shows(self, text: bytes) -> None:
        """Wait until the output ends with a text."""
        while not self.output.endswith(text):
            self._changed.clear()
            await self._changed.wait()

    async def _stdin(self) -> AsyncIterator[bytes]:
        while piece := await self._typed.get():
            yield piece

    async def _stdout(self, data: bytes) -> None:
        self.output += data
        self._changed.set()

    async def _stderr(self, data: bytes) -> None:
        self.errors += data


async def connections(box: Sandbox, pod: str = "web") -> tuple[NodeConnections, Pod]:
    """Return the node connections and a pod."""
    assert box.cluster.manager.kubelet is not None
    document = await box.pod(pod)
    assert document is not None
    return box.cluster.manager.kubelet.connections, Pod.from_document(document)


async def logged(box: Sandbox, container: str = "c0", pod: str = "web", **options: Any) -> str:
    """Return the log that a client reads."""
    nodes, found = await connections(box, pod)
    pieces = await nodes.log(found, container, PodLogOptions.from_document(options))
    return b"".join([piece async for piece in pieces]).decode()


async def _no_sizes() -> AsyncIterator[TerminalSize]:
    return
    yield
