"""Connections over TLS: slow readers, endings and time limits."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

import pytest
from OpenSSL import SSL
from uvicorn.server import ServerState

from memkube.http.options import ConnectionLimits
from memkube.http.tls import server_settings
from memkube.http.tls_transport import TlsAcceptor
from memkube.server.server import Server
from memkube.server.serving_certificate import TlsOptions, created_pair
from memkube.server.settings import Settings
from tests.security.exchanges import exchanged

pytestmark = pytest.mark.anyio
PAIR, AUTHORITY = created_pair([])
SIZE = 20 * 1024 * 1024


class Recorded(asyncio.Protocol):
    """Records what happens to a connection, and answers the bytes ``many`` with many bytes."""

    def __init__(self) -> None:
        self.happened: list[str] = []
        self.paused = asyncio.Event()
        self.lost: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # it is a Transport
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if data == b"fail":
            raise ValueError(data)
        if data == b"many":
            self.transport.write(bytes(SIZE))
            self.transport.close()
        self.transport.write(data)

    def pause_writing(self) -> None:
        self.happened.append("paused")
        self.paused.set()

    def resume_writing(self) -> None:
        self.happened.append("resumed")

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost.set_result(exc)


def settings() -> SSL.Context:
    return server_settings(PAIR, {}, None)


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter, Recorded]]:
    """Connect a client with a server, and yield the client's streams and the server's protocol."""
    made: asyncio.Future[Recorded] = asyncio.get_running_loop().create_future()

    def make_protocol(**_: object) -> Recorded:
        made.set_result(Recorded())
        return made.result()

    loop = asyncio.get_running_loop()
    accept = partial(TlsAcceptor, settings, make_protocol, 60, server_state=ServerState())
    async with await loop.create_server(accept, "127.0.0.1", 0) as server:
        trusting = ssl.create_default_context(cadata=AUTHORITY.decode())
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting, server_hostname="localhost")
        yield reader, writer, await made
        writer.close()


async def test_a_client_that_reads_late_gets_everything_before_the_end() -> None:
    async with connected() as (reader, writer, protocol):
        writer.write(b"many")
        await protocol.paused.wait()
        assert protocol.transport.get_write_buffer_size() > 0
        assert len(await reader.read(-1)) == SIZE
        assert await protocol.lost is None
        assert protocol.happened == ["paused", "resumed"]


async def test_bytes_that_arrive_while_reading_is_paused_are_read_later() -> None:
    async with connected() as (reader, writer, protocol):
        protocol.transport.pause_reading()
        writer.write(b"hello")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(5), 0.05)
        protocol.transport.resume_reading()
        assert await reader.read(5) == b"hello"


async def test_pieces_are_sent_as_one() -> None:
    async with connected() as (reader, _, protocol):
        protocol.transport.writelines([b"a", b"b", b"c"])
        assert await reader.read(10) == b"abc"


async def test_writes_in_one_iteration_of_the_event_loop_are_sent_together() -> None:
    async with connected() as (reader, _, protocol):
        for letter in (b"a", b"b", b"c"):
            protocol.transport.write(letter)
        assert protocol.transport.get_write_buffer_size() == 3
        protocol.transport.close()
        assert await reader.read(-1) == b"abc"


@pytest.mark.parametrize("end", [asyncio.Transport.close, asyncio.Transport.abort], ids=["close", "abort"])
async def test_nothing_is_sent_after_the_end(end: Callable[[asyncio.Transport], None]) -> None:
    async with connected() as (reader, _, protocol):
        getattr(protocol.transport, end.__name__)()
        protocol.transport.write(b"late")
        assert protocol.transport.is_closing()
        assert await protocol.lost is None
        assert await reader.read(-1) == b""


async def test_a_client_that_says_goodbye_is_answered() -> None:
    async with connected() as (_, writer, protocol):
        writer.close()
        await writer.wait_closed()
        assert await protocol.lost is None


async def test_a_client_that_is_cut_off_is_lost() -> None:
    async with connected() as (_, writer, protocol):
        writer.transport.abort()
        assert isinstance(await protocol.lost, ConnectionError)


async def test_a_protocol_that_fails_loses_its_connection() -> None:
    problems: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context["exception"]))
    async with connected() as (reader, writer, protocol):
        writer.write(b"fail")
        assert await reader.read(-1) == b""
        assert await protocol.lost is None
        assert [repr(problem) for problem in problems] == ["ValueError(b'fail')"]


async def test_a_client_of_plain_http_is_told_so() -> None:
    with Server(Settings(controllers=(), tls=TlsOptions())).in_thread() as server:
        answer = exchanged(server, b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert answer == b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"


async def test_a_handshake_has_a_time_limit() -> None:
    limits = ConnectionLimits(header_seconds=0.05)
    with Server(Settings(controllers=(), tls=TlsOptions(), connections=limits)).in_thread() as server:
        assert exchanged(server, b"\x16\x03\x01") == b""


async def test_a_handshake_ends_with_the_server() -> None:
    with Server(Settings(controllers=(), tls=TlsOptions())).in_thread() as server:
        waiting = socket.create_connection((server.host, server.port), 60)
        # The second connection is accepted after the first one.
        exchanged(server, b"\0" * 10)
    with waiting:
        assert waiting.recv(1) == b""
