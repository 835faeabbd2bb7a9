"""SPDY inside a WebSocket (KEP-4006) and after an HTTP upgrade, as ``kubectl port-forward`` uses it."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import pytest
import websocket

from memkube.endpoints.streams.spdy_frames import Data, Frame, FrameReader, FrameWriter, RstStream, SynReply, SynStream
from memkube.server.server import Server


class _Spdy:
    """A SPDY client that sends and receives bytes through two functions."""

    def __init__(self, send: Callable[[bytes], object], receive: Callable[[], bytes]) -> None:
        self._writer, self._reader = FrameWriter(), FrameReader()
        self._send, self._receive = send, receive
        self._frames: list[Frame] = []

    def send(self, *frames: Frame) -> None:
        for frame in frames:
            self._send(self._writer.write(frame))

    def receive(self) -> Frame:
        while not self._frames:
            self._frames += self._reader.feed(self._receive())
        return self._frames.pop(0)

    def connect(self, port: int, request: int, stream: int) -> None:
        """Open the two streams of one forwarded connection, as client-go does."""
        headers = {"port": str(port), "requestid": str(request)}
        self.send(SynStream(stream, {**headers, "streamtype": "error"}), Data(stream, b"", fin=True))
        self.send(SynStream(stream + 2, {**headers, "streamtype": "data"}))
        assert [self.receive(), self.receive()] == [SynReply(stream), SynReply(stream + 2)]


@contextmanager
def _tunnel(server: Server, path: str) -> Iterator[_Spdy]:
    address = server.url.replace("http", "ws", 1) + path
    opened = websocket.create_connection(address, subprotocols=["SPDY/3.1+portforward.k8s.io"], timeout=60)
    try:
        assert opened.getsubprotocol() == "spdy/3.1+portforward.k8s.io"
        yield _Spdy(opened.send_binary, lambda: _binary(opened.recv()))
    finally:
        opened.close()


def _binary(message: str | bytes) -> bytes:
    assert isinstance(message, bytes)
    return message


@contextmanager
def _upgraded(server: Server, path: str) -> Iterator[_Spdy]:
    address = urlsplit(server.url)
    assert address.hostname
    with socket.create_connection((address.hostname, address.port or 80), timeout=60) as opened:
        head = f"POST {path} HTTP/1.1\r\nHost: memkube\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
        opened.sendall(f"{head}X-Stream-Protocol-Version: portforward.k8s.io\r\n\r\n".encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += opened.recv(1)
        assert answer.startswith(b"HTTP/1.1 101 Switching Protocols\r\n")
        assert b"\r\nx-stream-protocol-version: portforward.k8s.io\r\n" in answer
        yield _Spdy(opened.sendall, lambda: opened.recv(65536))


@pytest.fixture(params=[_tunnel, _upgraded], ids=["websocket", "http"])
def spdy(request: pytest.FixtureRequest, server: Server, pod: str) -> Iterator[_Spdy]:
    with request.param(server, f"{pod}/portforward") as opened:
        yield opened


def test_connections_share_one_carrier(spdy: _Spdy) -> None:
    spdy.connect(port=7, request=0, stream=1)
    spdy.connect(port=7, request=1, stream=5)
    spdy.send(Data(7, b"second"), Data(3, b"first"))
    assert {spdy.receive(), spdy.receive()} == {Data(7, b"second"), Data(3, b"first")}


def test_both_streams_end_with_the_connection(spdy: _Spdy) -> None:
    spdy.connect(port=7, request=0, stream=1)
    spdy.send(Data(3, b"", fin=True))
    assert [spdy.receive(), spdy.receive()] == [Data(3, b"", fin=True), Data(1, b"", fin=True)]


def test_a_port_that_nobody_listens_on_is_an_error_and_a_reset(spdy: _Spdy) -> None:
    spdy.connect(port=81, request=0, stream=1)
    failure = spdy.receive()
    assert isinstance(failure, Data)
    assert failure.data.startswith(b"error forwarding port 81 to pod web, uid ")
    assert [spdy.receive(), spdy.receive()] == [RstStream(3, 5), RstStream(1, 5)]


@pytest.mark.parametrize("headers", [{"streamtype": "data"}, {"port": "0", "streamtype": "data"}, {"port": "7"}])
def test_streams_that_say_too_little_are_reset(spdy: _Spdy, headers: dict[str, str]) -> None:
    spdy.send(SynStream(1, headers))
    assert spdy.receive() == RstStream(1, 5)


@pytest.mark.parametrize(
    ("path", "headers", "code", "text"),
    [
        ("portforward", {}, 400, "header X-Stream-Protocol-Version does not exist in request with 7 headers"),
        (
            "exec?command=cat&stdout=1",
            {"x-stream-protocol-version": "v9.channel.k8s.io"},
            403,
            (
                "unable to negotiate protocol: client supports [v9.channel.k8s.io], server accepts "
                "[v4.channel.k8s.io v3.channel.k8s.io v2.channel.k8s.io channel.k8s.io]"
            ),
        ),
    ],
)
def test_a_protocol_has_to_be_agreed_on(
    client: httpx.Client, pod: str, path: str, headers: dict[str, str], code: int, text: str
) -> None:
    asked = {"connection": "Upgrade", "upgrade": "SPDY/3.1", **headers}
    answer = client.post(f"{pod}/{path}", headers=asked)
    assert (answer.status_code, answer.text) == (code, f"unable to upgrade: {text}")


def test_other_addresses_answer_as_if_nobody_had_asked_for_an_upgrade(client: httpx.Client, pod: str) -> None:
    answer = client.get(pod, headers={"connection": "Upgrade", "upgrade": "SPDY/3.1"})
    assert answer.json()["metadata"]["name"] == "web"
