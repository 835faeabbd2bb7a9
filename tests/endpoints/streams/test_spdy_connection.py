import asyncio

import pytest

from memkube.endpoints.streams.spdy_connection import SpdyConnection, SpdyStream
from memkube.endpoints.streams.spdy_frames import (
    Data,
    Frame,
    FrameReader,
    FrameWriter,
    GoAway,
    Ping,
    RstStream,
    SynReply,
    SynStream,
)

pytestmark = pytest.mark.anyio


class _Client:
    """The client of a SPDY connection, in place of the transport. It accepts streams that have a name."""

    def __init__(self) -> None:
        self.streams: list[SpdyStream] = []
        self._writer, self._reader = FrameWriter(), FrameReader()
        self._to_server: asyncio.Queue[bytes] = asyncio.Queue()
        self._received: list[Frame] = []

    def says(self, *frames: Frame) -> None:
        for frame in frames:
            self._to_server.put_nowait(self._writer.write(frame))

    def leaves(self) -> None:
        self._to_server.put_nowait(b"")

    @property
    def received(self) -> list[Frame]:
        return self._received

    async def read(self) -> bytes:
        return await self._to_server.get()

    async def write(self, data: bytes) -> None:
        self._received += self._reader.feed(data)

    def accepts(self, stream: SpdyStream) -> bool:
        return "name" in stream.headers

    def opened(self, stream: SpdyStream) -> None:
        self.streams.append(stream)


async def _served(*frames: Frame) -> _Client:
    """Serve a client that sends these frames and closes the connection. Return the client."""
    client = _Client()
    client.says(*frames)
    client.leaves()
    await SpdyConnection(client, client).serve()
    return client


async def test_streams_are_accepted_before_they_are_used() -> None:
    client = await _served(SynStream(1, {"name": "a"}))
    assert client.received == [SynReply(1)]
    await client.streams[0].write(b"hello")
    await client.streams[0].finish()
    assert client.received[1:] == [Data(1, b"hello"), Data(1, b"", fin=True)]


async def test_unwanted_streams_are_reset() -> None:
    client = await _served(SynStream(1, {}))
    assert client.received == [RstStream(1, 5)]


@pytest.mark.parametrize("number", [1, 2])
async def test_numbers_of_streams_are_odd_and_grow(number: int) -> None:
    client = await _served(SynStream(3, {"name": "a"}), SynStream(number, {"name": "b"}))
    assert client.received == [SynReply(3), RstStream(number, 1)]


async def test_streams_get_their_own_data() -> None:
    opened = [SynStream(1, {"name": "a"}), SynStream(3, {"name": "b"})]
    client = await _served(*opened, Data(3, b"three"), Data(1, b"one", fin=True), Data(9, b"nobody's"))
    assert [await stream.read() for stream in client.streams] == [b"one", b"three"]
    assert await client.streams[0].read() == b""


async def test_a_reset_stream_is_silent() -> None:
    client = await _served(SynStream(1, {"name": "a"}), RstStream(1, 5))
    await client.streams[0].write(b"too late")
    await client.streams[0].finish()
    assert client.received == [SynReply(1)]


async def test_pings_of_the_client_come_back() -> None:
    client = await _served(Ping(1), Ping(2))
    assert client.received == [Ping(1)]


async def test_nothing_is_read_behind_a_goodbye() -> None:
    client = await _served(GoAway(0), SynStream(1, {"name": "a"}))
    assert not client.streams
