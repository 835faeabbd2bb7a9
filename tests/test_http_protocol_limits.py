import socket
from collections.abc import Iterator

import pytest

from memkube.http.options import ConnectionLimits
from memkube.server.server import Server
from memkube.server.settings import Settings

_GET = b"GET /livez HTTP/1.1\r\nHost: x\r\n"


@pytest.fixture(scope="module")
def strict() -> Iterator[Server]:
    """A server that allows small heads, idle connections for a short time, and short requests."""
    limits = ConnectionLimits(header_bytes=1000, idle_seconds=0.6, request_seconds=0.9)
    with Server(Settings(controllers=(), connections=limits)).in_thread() as running:
        yield running


@pytest.fixture(scope="module")
def impatient() -> Iterator[Server]:
    """A server that waits for the head of a request for a short time."""
    limits = ConnectionLimits(header_seconds=0.3)
    with Server(Settings(controllers=(), connections=limits)).in_thread() as running:
        yield running


def _connect(server: Server) -> socket.socket:
    return socket.create_connection((server.host, server.port), timeout=60)


def _rest(connection: socket.socket) -> bytes:
    """Read until the server closes the connection."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize(
    "head",
    [
        _GET + b"A: " + b"x" * 1000 + b"\r\n\r\n",
        _GET + b"A: b\r\n" * 200 + b"\r\n",
        b"GET /livez?" + b"x" * 1000 + b" HTTP/1.1\r\n\r\n",
        _GET + b"A: " + b"x" * 1000,
    ],
    ids=["one header", "many headers", "address", "a header without an end"],
)
def test_a_head_that_is_too_large_is_refused(strict: Server, head: bytes) -> None:
    with _connect(strict) as connection:
        connection.sendall(head)
        answer = _rest(connection)
    assert answer.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")


def test_a_head_behind_another_request_is_bounded_too(strict: Server) -> None:
    with _connect(strict) as connection:
        watch = b"GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n"
        connection.sendall(watch + _GET + b"A: " + b"x" * 1000)
        assert b"HTTP/1.1 431 " in _rest(connection)


def test_the_head_of_every_server_may_be_large() -> None:
    with Server(Settings(controllers=())).in_thread() as server, _connect(server) as connection:
        connection.sendall(_GET + b"A: " + b"x" * 1_000_000 + b"\r\nConnection: close\r\n\r\n")
        assert _rest(connection).startswith(b"HTTP/1.1 200 OK\r\n")
    with Server(Settings(controllers=())).in_thread() as server, _connect(server) as connection:
        connection.sendall(_GET + b"A: " + b"x" * 1_100_000 + b"\r\n\r\n")
        assert _rest(connection).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize("sent", [b"", b"GE", _GET, _GET + b"A: b"])
def test_a_connection_whose_request_does_not_come_is_closed(impatient: Server, sent: bytes) -> None:
    with _connect(impatient) as connection:
        connection.sendall(sent)
        assert _rest(connection) == b""


def test_a_connection_that_nothing_happens_on_is_closed_in_time(strict: Server) -> None:
    with _connect(strict) as connection:
        # Less than the limit for headers, for which the server waits first.
        connection.settimeout(ConnectionLimits().header_seconds / 2)
        connection.sendall(_GET + b"\r\n")
        assert _rest(connection).endswith(b"ok")


def test_a_watch_is_no_idle_connection(strict: Server) -> None:
    with _connect(strict) as connection:
        connection.sendall(b"GET /api/v1/pods?watch=1&resourceVersion=1&timeoutSeconds=2 HTTP/1.1\r\nHost: x\r\n\r\n")
        assert _rest(connection).endswith(b"\r\n0\r\n\r\n")


def test_a_connection_serves_one_request_after_another(server: Server) -> None:
    with _connect(server) as connection:
        for _ in range(3):
            connection.sendall(_GET + b"\r\n")
            assert connection.recv(65536).endswith(b"\r\n\r\nok")
