"""The server's side of an SPDY connection, whose streams the client opens.

Clients use moby/spdystream, which neither sends nor obeys WINDOW_UPDATE. This server does not either, so that a stream
which is not read blocks the other streams of its connection.
"""

from typing import Protocol

from memkube.endpoints.streams.sessions import Inbox
from memkube.endpoints.streams.spdy_frames import (
    LARGEST_DATA,
    Data,
    Frame,
    FrameReader,
    FrameWriter,
    GoAway,
    Ping,
    ResetStatus,
    RstStream,
    SynReply,
    SynStream,
)
from memkube.endpoints.streams.spdy_headers import Headers, MalformedFrame
from memkube.registry.declarations.streaming import ByteStream


class StreamOwner(Protocol):
    """Handler of the streams of an SPDY connection: accepts them, and reads and writes their data."""

    def accepts(self, stream: "SpdyStream") -> bool:
        """Return True to accept a stream. Otherwise, the connection resets the stream."""

    def opened(self, stream: "SpdyStream") -> None:
        """Called when an accepted stream is open. From then on, data can be written to the stream."""


class SpdyStream:
    """An SPDY stream that the client has opened: a stream of bytes in each direction."""

    def __init__(self, connection: "SpdyConnection", number: int, headers: Headers) -> None:
        self.number = number
        self.headers = headers
        self.inbox = Inbox()
        self._connection = connection
        self._finished = False

    async def read(self) -> bytes:
        """Return the next bytes from the client; empty after the client has ended its direction."""
        return await self.inbox.read()

    async def write(self, data: bytes) -> None:
        """Send bytes to the client. They are dropped if the client or the server has ended the stream."""
        for start in range(0, len(data), LARGEST_DATA):
            if not self._finished:
                await self._connection.send(Data(self.number, data[start : start + LARGEST_DATA]))

    async def finish(self) -> None:
        """End the server's direction of the stream: no more data is sent to the client."""
        if not self._finished:
            self._finished = True
            await self._connection.send(Data(self.number, b"", fin=True))

    async def reset(self) -> None:
        """Reset the stream, which ends both directions."""
        self._connection.forget(self.number)
        await self.inbox.end()
        if not self._finished:
            self._finished = True
            await self._connection.send(RstStream(self.number, ResetStatus.CANCEL))

    async def was_reset(self) -> None:
        """Mark both directions as ended, after the client has reset the stream."""
        self._finished = True
        await self.inbox.end()


class SpdyConnection:
    """Reads SPDY frames from a transport, and passes them to their streams."""

    def __init__(self, transport: ByteStream, owner: StreamOwner) -> None:
        self._transport = transport
        self._owner = owner
        self._reader = FrameReader()
        self._writer = FrameWriter()
        self._streams: dict[int, SpdyStream] = {}
        self._last = 0

    async def serve(self) -> None:
        """Handle the client's frames until the client disconnects.

        The task can be cancelled, and this method called again, without losing frames.
        """
        try:
            while data := await self._transport.read():
                for frame in self._reader.feed(data):
                    if isinstance(frame, GoAway):
                        return
                    await self._handle(frame)
        except MalformedFrame:
            return
        finally:
            for stream in self._streams.values():
                await stream.inbox.end()

    async def send(self, frame: Frame) -> None:
        """Send a frame to the client."""
        await self._transport.write(self._writer.write(frame))

    async def close(self) -> None:
        """Half-close each stream towards the client, and announce that no more streams are accepted (GOAWAY)."""
        for stream in list(self._streams.values()):
            await stream.finish()
        await self.send(GoAway(self._last))

    def forget(self, number: int) -> None:
        """Remove a stream, so that further frames with its number are ignored."""
        self._streams.pop(number, None)

    async def _handle(self, frame: Frame) -> None:
        match frame:
            case SynStream():
                await self._open(frame)
            case Data(number, data, fin):
                stream = self._streams.get(number)
                if stream is not None:
                    await stream.inbox.put(data)
                    if fin:
                        await stream.inbox.end()
            case RstStream(number):
                stream = self._streams.pop(number, None)
                if stream is not None:
                    await stream.was_reset()
            case Ping(number) if number % 2:
                await self.send(frame)

    async def _open(self, frame: SynStream) -> None:
        if frame.stream <= self._last or frame.stream % 2 == 0:
            await self.send(RstStream(frame.stream, ResetStatus.PROTOCOL_ERROR))
            return
        self._last = frame.stream
        stream = self._streams[frame.stream] = SpdyStream(self, frame.stream, frame.headers)
        if frame.fin:
            await stream.inbox.end()
        if not self._owner.accepts(stream):
            await stream.reset()
            return
        await self.send(SynReply(frame.stream))
        self._owner.opened(stream)
