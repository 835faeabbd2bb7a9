"""Ports on SPDY streams: two for each connection, data and errors.

Source: ``k8s.io/cri-streaming`` (portforward/httpstream.go).
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from memkube.endpoints.spdy.connection import SpdyConnection, SpdyStream
from memkube.endpoints.streams.ports import forward_failure
from memkube.registry.streaming import ByteStream, PortForwarding

PROTOCOLS: Final = ("portforward.k8s.io",)
_PORT, _STREAM_TYPE, _REQUEST_ID = "port", "streamtype", "requestid"
_DATA, _ERROR = "data", "error"
_LARGEST_PORT = 2**16 - 1


@dataclass(slots=True)
class _Pair:
    """The streams of one connection."""

    data: SpdyStream | None = None
    error: SpdyStream | None = None


class SpdyPorts:
    """Connects to a port whenever the client has opened a pair of streams for it."""

    def __init__(self, forward: PortForwarding, transport: ByteStream) -> None:
        self._forward = forward
        self._spdy = SpdyConnection(transport, self)
        self._pairs: dict[str, _Pair] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Goes on until the client leaves; its connections end with it."""
        try:
            await self._spdy.serve()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def accepts(self, stream: SpdyStream) -> bool:
        """See StreamOwner."""
        port, kind = stream.headers.get(_PORT, ""), stream.headers.get(_STREAM_TYPE)
        return port.isascii() and port.isdigit() and 0 < int(port) <= _LARGEST_PORT and kind in (_DATA, _ERROR)

    def opened(self, stream: SpdyStream) -> None:
        """See StreamOwner."""
        request = _request(stream)
        pair = self._pairs.setdefault(request, _Pair())
        if stream.headers[_STREAM_TYPE] == _DATA:
            pair.data = stream
        else:
            pair.error = stream
        if pair.data and pair.error:
            del self._pairs[request]
            task = asyncio.ensure_future(self._serve_pair(pair.data, pair.error))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _serve_pair(self, data: SpdyStream, error: SpdyStream) -> None:
        try:
            failure = await forward_failure(self._forward, int(data.headers[_PORT]), data)
            if failure:
                await error.write(failure.encode())
                await data.reset()
                await error.reset()
            await data.finish()
            await error.finish()
        except OSError:
            return
        finally:
            self._spdy.forget(data.number)
            self._spdy.forget(error.number)


def _request(stream: SpdyStream) -> str:
    """What joins a pair: clients that name no request open the stream for data right behind the one for errors."""
    named = stream.headers.get(_REQUEST_ID)
    if named:
        return named
    return str(stream.number if stream.headers[_STREAM_TYPE] == _ERROR else stream.number - 2)
