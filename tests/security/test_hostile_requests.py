"""HTTP requests of attackers: malformed, expensive or misleading."""

import gzip
import logging
from collections.abc import Iterator
from itertools import pairwise

import httpx
import pytest

from memkube.cli.access import log_requests
from memkube.cli.logs import TextLines
from memkube.http.options import ConnectionLimits
from memkube.server.server import Server
from memkube.server.settings import Settings
from memkube.telemetry.request_log import RequestLogOptions
from tests.security.exchanges import exchanged

MAPS = "/api/v1/namespaces/open/configmaps"
POST = b"POST /api/v1/namespaces/open/configmaps HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer alice-token\r\n"
SMUGGLED = b"GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        b"Content-Length: 0\r\nContent-Length: 71\r\n\r\n",
        b"Content-Length: 0, 71\r\n\r\n",
        b"Content-Length: +0\r\n\r\n",
        b"Content-Length: 0x0\r\n\r\n",
        b"Content-Length:\r\n 0\r\n\r\n",
        b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n0;\nx\r\n\r\n",
        b"X: a\rContent-Length: 5\r\n\r\n",
        b"X: a\0b\r\n\r\n",
    ],
)
def test_a_request_with_an_unclear_end_is_refused(target: Server, head: bytes) -> None:
    answer = exchanged(target, POST + head + SMUGGLED)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "sent",
    [
        b"\0\1\2\xff" * 100,
        b"\x16\x03\x01\x02\x00\x01",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET\r\n\r\n",
        b"\r\n" * 9 + b"x",
    ],
    ids=["binary", "TLS", "HTTP/2", "a word", "empty lines"],
)
def test_garbage_is_refused_and_the_server_goes_on(target: Server, alice: httpx.Client, sent: bytes) -> None:
    assert exchanged(target, sent + b"\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert alice.get(MAPS).status_code == 200


def test_a_body_that_is_too_large_is_refused(alice: httpx.Client) -> None:
    assert alice.post(MAPS, content=b"x" * 3_200_000, headers={"Content-Type": "application/json"}).status_code == 413


def test_a_compressed_body_is_not_unpacked(alice: httpx.Client) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    answer = alice.post(MAPS, content=gzip.compress(b" " * 10_000_000), headers=headers)
    assert answer.status_code == 400


def bomb(lines: int) -> bytes:
    names = [chr(ord("a") + number) for number in range(lines)]
    text = "a: &a [x,x,x,x,x,x,x,x,x]\n"
    for before, name in pairwise(names):
        text += f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    return text.encode()


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("application/yaml", bomb(12)),
        ("application/yaml", b"[" * 200_000),
        ("application/yaml", b"- " * 200_000),
        ("application/yaml", b"a: &a [*a]"),
        ("application/yaml", b"!!python/object/apply:os.system ['true']"),
        ("application/json", b"[" * 1_000_000),
        ("application/json", b'{"a":' * 200_000 + b"1" + b"}" * 200_000),
        ("application/vnd.kubernetes.protobuf", b"k8s\0" + b"\xff" * 1000),
        ("application/apply-patch+yaml", bomb(12)),
    ],
    ids=["aliases", "brackets", "dashes", "itself", "code", "JSON", "JSON objects", "protobuf", "apply"],
)
def test_a_body_that_grows_or_nests_without_end_is_refused(alice: httpx.Client, media_type: str, body: bytes) -> None:
    method, path = ("PATCH", f"{MAPS}/x?fieldManager=me") if "apply" in media_type else ("POST", MAPS)
    answer = alice.request(method, path, content=body, headers={"Content-Type": media_type})
    assert answer.status_code in (400, 415)


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """The lines that a server writes to its log."""
    written: list[str] = []

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(TextLines().format(record))

    handler = Lines()
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


@pytest.mark.parametrize(
    "request_line",
    [
        b"GET /api/v1/namespaces/default%0AINJECTED/pods",
        b"GET /api/v1/namespaces/default/pods/a%0d%0aINJECTED",
        b"GET /%1b%5b31mINJECTED%e2%80%a8x",
        b"GET /absent?x=%0AINJECTED",
        b"DELETE /api/v1/namespaces/%0aINJECTED",
    ],
)
def test_a_client_writes_no_line_of_its_own_into_the_log(
    lines: list[str], caplog: pytest.LogCaptureFixture, request_line: bytes
) -> None:
    caplog.set_level(logging.INFO, "memkube.trace")
    settings = Settings(controllers=(), requests=RequestLogOptions(slow_seconds=1e-9))
    with Server(settings).in_thread() as server:
        log_requests(server.parts.request_log, server.registry.catalog)
        headers = b"Host: localhost\r\nConnection: close\r\nImpersonate-User: \xe2\x80\xa8INJECTED\r\n"
        exchanged(server, request_line + b" HTTP/1.1\r\n" + headers + b"\r\n")
    assert any("INJECTED" in line for line in lines)
    assert all(line.isprintable() for line in lines)


def test_slow_requests_end() -> None:
    limits = ConnectionLimits(header_seconds=0.2)
    with Server(Settings(controllers=(), connections=limits)).in_thread() as server:
        assert exchanged(server, b"") == b""
        assert exchanged(server, b"GET /version HTTP/1.1\r\nHost: localhost\r\n") == b""
    limits = ConnectionLimits(idle_seconds=0.2, request_seconds=0.5)
    with Server(Settings(controllers=(), connections=limits)).in_thread() as server:
        head = b"POST /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
        assert exchanged(server, head + b"{").startswith(b"HTTP/1.1 504 ")
