import socket
from typing import Any

import orjson
import pytest

from memkube.server.server import Server


def _answer(server: Server, request: bytes) -> tuple[bytes, Any]:
    """Send a request and close the client's side. Return the status line and the body of the response."""
    with socket.create_connection((server.host, server.port), timeout=60) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    head, body = answer.split(b"\r\n\r\n", 1)
    assert b"content-length: %d" % len(body) in head
    return head.split(b"\r\n")[0], orjson.loads(body)


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "Invalid character in Content-Length"),
        (b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "Duplicate Content-Length"),
        (
            b"POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
            "Transfer-Encoding can't be present with Content-Length",
        ),
        (b"GET / HTTP/1.1\r\nno header\r\n\r\n", "Invalid header token"),
        (b"GET / HTTP/9.9\r\n\r\n", "Invalid HTTP version"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "Invalid method encountered"),
        (b"nonsense\r\n\r\n", "Invalid method encountered"),
    ],
)
def test_what_is_no_http_is_refused_with_its_problem(server: Server, request_: bytes, problem: str) -> None:
    line, status = _answer(server, request_)
    assert line == b"HTTP/1.1 400 Bad Request"
    assert (status["reason"], status["code"]) == ("BadRequest", 400)
    assert status["message"] == f"the request is not HTTP/1.1: {problem}"


@pytest.mark.parametrize("version", [b"", b" HTTP/0.9", b" HTTP/2.0"])
def test_another_version_of_http_is_refused_as_go_does(server: Server, version: bytes) -> None:
    with socket.create_connection((server.host, server.port), timeout=60) as connection:
        connection.sendall(b"GET /api/v1/pods?watch=1" + version + b"\r\nHost: x\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 505 HTTP Version Not Supported: unsupported protocol version\r\n")


@pytest.mark.parametrize("method", [b"BREW", b"GETX", b"get", b"!#"])
def test_any_token_is_a_method(server: Server, method: bytes) -> None:
    line, status = _answer(server, method + b" /api/v1/pods HTTP/1.1\r\nHost: x\r\n\r\n")
    assert line == b"HTTP/1.1 405 Method Not Allowed"
    assert status["reason"] == "MethodNotAllowed"


@pytest.mark.parametrize("key", [b"", b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"])
def test_an_upgrade_to_websockets_with_a_body_is_an_ordinary_request(server: Server, key: bytes) -> None:
    head = b"GET /api/v1/namespaces/default HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    with socket.create_connection((server.host, server.port), timeout=60) as connection:
        connection.sendall(head + key + b"Content-Length: 3\r\n\r\nabc")
        assert connection.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_client_that_speaks_tls_is_logged_in_one_line(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    _answer(server, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    expected = (
        f"a client uses TLS at {server.host}:{server.port}, which serves plain HTTP: its URL must begin with http://"
    )
    assert [record.message for record in caplog.records if "TLS" in record.message] == [expected]
