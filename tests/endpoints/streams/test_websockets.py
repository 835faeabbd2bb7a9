import json
import socket
import threading
import time
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

import memkube
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.endpoints.streams.node import Node, running_pod

_SUCCESS = {"metadata": {}, "status": "Success"}


@contextmanager
def _opened(server: Server, path: str, *subprotocols: str) -> Iterator[ClientConnection]:
    address = server.url.replace("http", "ws", 1) + path
    offered = [Subprotocol(name) for name in subprotocols] or None
    with connect(address, subprotocols=offered, proxy=None, open_timeout=60) as socket:
        yield socket


def _messages(socket: ClientConnection) -> list[bytes]:
    """Return all non-empty messages until the connection is closed."""
    received = [message if isinstance(message, bytes) else message.encode() for message in socket]
    return [message for message in received if len(message) > 1]


@pytest.mark.parametrize("subprotocol", ["v5.channel.k8s.io", "v4.channel.k8s.io"])
def test_output_and_exit_come_on_channels(server: Server, pod: str, subprotocol: str) -> None:
    with _opened(server, f"{pod}/exec?command=echo&command=hi&stdout=1", subprotocol) as socket:
        assert socket.subprotocol == subprotocol
        output, status = _messages(socket)
    assert output == b"\x01hi\n"
    assert (status[0], json.loads(status[1:])) == (3, _SUCCESS)


def test_a_failure_names_its_exit_code(server: Server, pod: str) -> None:
    with _opened(server, f"{pod}/exec?command=fail&command=4&stderr=1", "v4.channel.k8s.io") as socket:
        output, status = _messages(socket)
    assert output == b"\x02failed\n"
    document = json.loads(status[1:])
    assert (document["status"], document["reason"]) == ("Failure", "NonZeroExitCode")
    assert document["details"]["causes"] == [{"reason": "ExitCode", "message": "4"}]


def test_the_first_protocol_is_silent_about_success(server: Server, pod: str) -> None:
    with _opened(server, f"{pod}/exec?command=echo&stdout=1") as socket:
        assert _messages(socket) == [b"\x01\n"]


def test_base64_is_text(server: Server, pod: str) -> None:
    path = f"{pod}/exec?command=cat&stdin=1&stdout=1&command=x"
    with _opened(server, path.replace("&command=x", ""), "base64.channel.k8s.io") as socket:
        socket.send("0aGVsbG8=")
        message = next(message for message in socket if len(message) > 1)
        assert isinstance(message, str)
        assert (message[0], b64decode(message[1:])) == ("1", b"hello")


def test_the_fifth_protocol_can_close_the_input(server: Server, pod: str) -> None:
    with _opened(server, f"{pod}/exec?command=cat&stdin=1&stdout=1", "v5.channel.k8s.io") as socket:
        socket.send(b"\x00abc")
        socket.send(bytes((255, 0)))
        assert _messages(socket)[0] == b"\x01abc"


def test_a_terminal_has_no_error_output_of_its_own(server: Server, pod: str) -> None:
    with _opened(server, f"{pod}/exec?command=fail&command=0&stderr=1&stdout=1&tty=1", "v4.channel.k8s.io") as socket:
        assert [message[0] for message in _messages(socket)] == [3]


def test_sizes_may_come_in_pieces(server: Server, pod: str) -> None:
    with _opened(server, f"{pod}/exec?command=size&stdout=1&tty=1", "v4.channel.k8s.io") as socket:
        socket.send(b'\x04{"Width":80,')
        socket.send(b'\x04"Height":24}\n')
        assert _messages(socket)[0] == b"\x0180x24"


def test_a_session_is_cut_off_when_its_client_leaves(server: Server, pod: str, node: Node) -> None:
    node.cut_off.clear()
    with _opened(server, f"{pod}/exec?command=wait&stdout=1", "v4.channel.k8s.io") as socket:
        socket.recv()
    _await(lambda: node.cut_off == ["wait"])


@pytest.mark.parametrize(
    ("path", "subprotocols", "code", "text"),
    [
        ("exec?command=cat&stdout=1", ["v9.channel.k8s.io"], 403, ""),
        ("exec?command=cat", ["v4.channel.k8s.io"], 400, "you must specify at least 1 of stdin, stdout, stderr"),
        ("exec?command=cat&stderr=1&tty=1", [], 400, "you must specify at least 1 of stdin, stdout, stderr"),
        ("portforward", ["v4.channel.k8s.io"], 400, 'query parameter "port" is required'),
        ("portforward?ports=0", [], 400, 'port "0" must be > 0'),
    ],
)
def test_what_the_node_refuses_is_text(
    server: Server, pod: str, path: str, subprotocols: Sequence[str], code: int, text: str
) -> None:
    with pytest.raises(InvalidStatus) as refusal, _opened(server, f"{pod}/{path}", *subprotocols):
        pass
    response = refusal.value.response
    assert (response.status_code, response.body.decode()) == (code, text)


def test_an_unknown_protocol_in_a_tunnel_is_refused(client: httpx.Client, pod: str) -> None:
    headers = {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "sec-websocket-protocol": "SPDY/3.1+other.k8s.io",
    }
    answer = client.get(f"{pod}/portforward", headers=headers)
    both = "client supports [other.k8s.io], server accepts [portforward.k8s.io]"
    assert (answer.status_code, answer.text) == (403, f"unable to upgrade: unable to negotiate protocol: {both}")


def test_what_the_server_refuses_is_a_status(server: Server, pod: str) -> None:
    with pytest.raises(InvalidStatus) as refusal, _opened(server, f"{pod}/exec?container=x", "v4.channel.k8s.io"):
        pass
    assert json.loads(refusal.value.response.body)["message"] == "container x is not valid for pod web"


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("subresource", ["exec?command=cat&stdout=1", "attach?stdout=1", "portforward?ports=80"])
def test_an_upgrade_is_required(client: httpx.Client, pod: str, method: str, subresource: str) -> None:
    status = client.request(method, f"{pod}/{subresource}").json()
    assert (status["code"], status["reason"]) == (400, "BadRequest")
    assert status["message"] == "Upgrade request required"


def test_forwarded_ports_have_two_channels_each(server: Server, pod: str) -> None:
    with _opened(server, f"{pod}/portforward?ports=7,81", "v4.channel.k8s.io") as socket:
        begun = {socket.recv() for _ in range(4)}
        assert begun == {b"\x00\x07\x00", b"\x01\x07\x00", b"\x02\x51\x00", b"\x03\x51\x00"}
        failure = socket.recv()
        assert isinstance(failure, bytes)
        assert failure.startswith(b"\x03error forwarding port 81 to pod web, uid ")
        socket.send(b"\x00ping")
        assert socket.recv() == b"\x00ping"


def test_the_connection_ends_with_its_last_port(server: Server, pod: str) -> None:
    with _opened(server, f"{pod}/portforward?ports=80", "v4.channel.k8s.io") as socket:
        socket.send(b"\x00GET / HTTP/1.1\r\n\r\n")
        assert _messages(socket)[-1].endswith(b"hello\n")
        with pytest.raises(ConnectionClosed):
            socket.recv()


@pytest.mark.parametrize(
    ("subprotocol", "messages"),
    [("binary.k8s.io", [b"", b"first\nsecond\n"]), ("base64.binary.k8s.io", ["", "Zmlyc3QKc2Vjb25kCg=="])],
)
def test_a_log_comes_over_a_websocket_too(
    server: Server, pod: str, subprotocol: str, messages: list[bytes | str]
) -> None:
    with _opened(server, f"{pod}/log", subprotocol) as socket:
        assert list(socket) == messages


def test_a_log_that_is_followed_ends_with_its_websocket(server: Server, pod: str, node: Node) -> None:
    node.cut_off.clear()
    with _opened(server, f"{pod}/log?follow=1") as socket:
        assert [socket.recv(), socket.recv()] == [b"", b"first\nsecond\n"]
    _await(lambda: node.cut_off == ["log"])


def test_a_list_needs_no_upgrade(server: Server, pod: str) -> None:
    with pytest.raises(InvalidStatus) as answer, _opened(server, pod.removesuffix("/web")):
        pass
    assert json.loads(answer.value.response.body)["kind"] == "PodList"


def test_following_a_log_ends_when_the_client_leaves(client: httpx.Client, pod: str, node: Node) -> None:
    node.cut_off.clear()
    with client.stream("GET", f"{pod}/log?follow=true") as answer:
        assert answer.headers["content-type"] == "text/plain"
        assert next(answer.iter_text()) == "first\nsecond\n"
    _await(lambda: node.cut_off == ["log"])


def test_the_server_stops_in_spite_of_open_connections(node: Node) -> None:
    node.cut_off.clear()
    started = Server(Settings(controllers=()))
    started.registry.kind_services.node_connections = lambda: node
    with ExitStack() as stack:
        with started.in_thread(), httpx.Client(base_url=started.url, trust_env=False) as client:
            pod = running_pod(client, "default")
            answer = stack.enter_context(client.stream("GET", f"{pod}/log?follow=true"))
            assert next(answer.iter_raw())
            session = f"{pod}/exec?command=wait&stdout=1"
            stack.enter_context(_opened(started, session, "v4.channel.k8s.io")).recv()
            stopping = time.monotonic()
        assert time.monotonic() - stopping < 30
    assert sorted(node.cut_off) == ["log", "wait"]


def _await(condition: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(6000):
        if condition():
            return
        waiting.wait(0.01)
    raise AssertionError("it did not happen")


def _frame(opcode: int, data: bytes) -> bytes:
    """Return a short WebSocket frame of a client, with a mask of zeros."""
    return bytes((0x80 | opcode, 0x80 | len(data), 0, 0, 0, 0)) + data


def test_what_a_client_sends_is_taken_in_although_it_leaves_at_once() -> None:
    pod = {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}}
    write, read = "cat%20%3E%20/tmp/kept", "cat%20/tmp/kept"
    with memkube.Memkube(nodes=1) as kube, httpx.Client(base_url=kube.url, trust_env=False) as client:
        client.post("/api/v1/namespaces/default/pods", json=pod).raise_for_status()
        kube.wait_for("pods", "web", "condition=Ready")
        path = "/api/v1/namespaces/default/pods/web/exec?stdout=1&command=sh&command=-c&command="
        head = f"GET {path}{write}&stdin=1 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        head += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
        head += "Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n"
        with socket.create_connection((httpx.URL(kube.url).host, httpx.URL(kube.url).port)) as connection:
            connection.sendall(head.encode())
            assert connection.recv(4096).startswith(b"HTTP/1.1 101")
            connection.sendall(_frame(2, b"\x00hello\n") + _frame(8, b""))
        address = kube.url.replace("http", "ws", 1) + path + read
        _await(lambda: b"\x01hello\n" in _said(address))


def _said(address: str) -> list[bytes]:
    with connect(address, subprotocols=[Subprotocol("v4.channel.k8s.io")], proxy=None, open_timeout=60) as opened:
        return _messages(opened)
