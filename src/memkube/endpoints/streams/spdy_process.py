"""A process on SPDY streams. Source: ``k8s.io/cri-streaming`` (remotecommand/httpstream.go)."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

import orjson

from memkube.apimachinery.model import Document
from memkube.endpoints.spdy.connection import SpdyConnection, SpdyStream
from memkube.endpoints.streams.inbox import Inbox
from memkube.endpoints.streams.sessions import ClientLeft
from memkube.endpoints.streams.terminal import terminal_sizes
from memkube.registry.streaming import ByteStream, ProcessConnection, ProcessStreams

PROTOCOLS: Final = ("v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io")
_REPORT_JSON: Final = PROTOCOLS[:1]
_RESIZE: Final = PROTOCOLS[:2]
_STREAM_TYPE: Final = "streamtype"
_CREATION_SECONDS: Final = 30
_LEAVING_SECONDS: Final = 2


class SpdyProcess:
    """See ProcessCarrier. The client opens one stream for each of the process's, one for errors, one for sizes."""

    def __init__(self, transport: ByteStream, protocol: str, connection: ProcessConnection) -> None:
        self._connection = connection
        self._reports_json = protocol in _REPORT_JSON
        wanted = {"error": True, "stdin": connection.stdin, "stdout": connection.stdout, "stderr": connection.stderr}
        wanted["resize"] = connection.tty and protocol in _RESIZE
        self._wanted = {name for name, is_wanted in wanted.items() if is_wanted}
        self._streams: dict[str, SpdyStream] = {}
        self._complete = asyncio.Event()
        self._spdy = SpdyConnection(transport, self)
        self.serve: Callable[[], Coroutine[Any, Any, None]] = self._spdy.serve

    def accepts(self, stream: SpdyStream) -> bool:
        """See StreamOwner."""
        return stream.headers.get(_STREAM_TYPE) in self._wanted - self._streams.keys()

    def opened(self, stream: SpdyStream) -> None:
        """See StreamOwner."""
        self._streams[stream.headers[_STREAM_TYPE]] = stream
        if self._streams.keys() == self._wanted:
            self._complete.set()

    async def start(self) -> ProcessStreams:
        """Waits for all streams that the client is to open."""
        try:
            async with asyncio.timeout(_CREATION_SECONDS):
                await self._complete.wait()
        except TimeoutError:
            raise ClientLeft from None
        streams = self._streams
        sizes = streams["resize"].inbox if "resize" in streams else Inbox()
        return ProcessStreams(
            stdin=streams["stdin"].inbox.pieces() if "stdin" in streams else None,
            stdout=streams["stdout"].write if "stdout" in streams else None,
            stderr=streams["stderr"].write if "stderr" in streams else None,
            tty=self._connection.tty,
            sizes=terminal_sizes(sizes.pieces()),
        )

    async def report(self, status: Document) -> None:
        """The error stream tells; then all streams end, and the client leaves or is left."""
        error = self._streams["error"]
        if self._reports_json:
            await error.write(orjson.dumps(status))
        elif status["status"] != "Success":
            await error.write(status["message"].encode())
        for stream in self._streams.values():
            await stream.finish()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LEAVING_SECONDS):
                await self._spdy.serve()
        await self._spdy.close()
