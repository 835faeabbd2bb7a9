"""exec, attach and port-forward over an SPDY connection, which has several streams.

exec and attach have an SPDY stream for each stream of the process, one for errors and one for terminal sizes. A
connection to a port has two SPDY streams, for data and for errors.

Source: ``k8s.io/cri-streaming`` (remotecommand/httpstream.go, portforward/httpstream.go).
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import orjson

from memkube.apimachinery.model import Document
from memkube.endpoints.streams.sessions import ClientLeft, Inbox, forward_failure, terminal_sizes
from memkube.endpoints.streams.spdy_connection import SpdyConnection, SpdyStream
from memkube.registry.declarations.streaming import ByteStream, PortForwarding, ProcessConnection, ProcessStreams

PROCESS_PROTOCOLS: Final = ("v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io")
_REPORT_JSON: Final = PROCESS_PROTOCOLS[:1]
_RESIZE: Final = PROCESS_PROTOCOLS[:2]
_STREAM_TYPE: Final = "streamtype"
_CREATION_SECONDS: Final = 30
_LEAVING_SECONDS: Final = 2
PORT_PROTOCOLS: Final = ("portforward.k8s.io",)
_PORT, _REQUEST_ID = "port", "requestid"
_DATA, _ERROR = "data", "error"
_LARGEST_PORT = 2**16 - 1


class SpdyProcess:
    """Carries the standard streams of a process on SPDY streams, which the client opens."""

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
        """Return True if the process uses a stream of the type of `stream`, such as stdin, and has none of it yet."""
        return stream.headers.get(_STREAM_TYPE) in self._wanted - self._streams.keys()

    def opened(self, stream: SpdyStream) -> None:
        """Store an accepted stream by its type, such as ``stdout``."""
        self._streams[stream.headers[_STREAM_TYPE]] = stream
        if self._streams.keys() == self._wanted:
            self._complete.set()

    async def start(self) -> ProcessStreams:
        """Wait until the client has opened all streams. Return the streams of the process."""
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
        """Send the exit status on the error stream, end all streams, and wait until the client disconnects."""
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


@dataclass(slots=True)
class _Pair:
    """The SPDY streams of one connection to a port: data and errors. A stream that is not open yet is None."""

    data: SpdyStream | None = None
    error: SpdyStream | None = None


class SpdyPorts:
    """Connects the client to a port for each pair of SPDY streams that the client opens."""

    def __init__(self, forward: PortForwarding, transport: ByteStream) -> None:
        self._forward = forward
        self._spdy = SpdyConnection(transport, self)
        self._pairs: dict[str, _Pair] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Forward connections until the client disconnects, and then end all of them."""
        try:
            await self._spdy.serve()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def accepts(self, stream: SpdyStream) -> bool:
        """Return True for a data stream or an error stream whose headers contain a valid port."""
        port, kind = stream.headers.get(_PORT, ""), stream.headers.get(_STREAM_TYPE)
        return port.isascii() and port.isdigit() and 0 < int(port) <= _LARGEST_PORT and kind in (_DATA, _ERROR)

    def opened(self, stream: SpdyStream) -> None:
        """Store one of the two streams of a forwarded connection. When both are open, connect to the port."""
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
    """Return the id of the forwarded connection (pair of streams) to which a stream belongs.

    If the client sends no id, it is the number of the error stream. In this case, the data stream is the one that the
    client opens next: its number is higher by 2.
    """
    named = stream.headers.get(_REQUEST_ID)
    if named:
        return named
    return str(stream.number if stream.headers[_STREAM_TYPE] == _ERROR else stream.number - 2)
