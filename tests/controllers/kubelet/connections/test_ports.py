import asyncio
import json

import pytest

from memkube.apimachinery.errors import ApiError
from memkube.registry.declarations.streaming import HttpRequest, StreamFailed
from tests.controllers.kubelet.connections.client import connections
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio


class Stream:
    """A connection whose client has already sent all of its data."""

    def __init__(self, *sent: bytes) -> None:
        self._sent = list(sent)
        self.answer = b""

    async def read(self) -> bytes:
        return self._sent.pop(0) if self._sent else b""

    async def write(self, data: bytes) -> None:
        self.answer += data


@pytest.mark.parametrize(
    ("sent", "answers"),
    [
        ([b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"], 1),
        ([b"GET / HT", b"TP/1.1\r\n", b"\r\nGET /b HTTP/1.1\r\n\r\n"], 2),
        ([b"POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nab", b"cdGET / HTTP/1.1\r\n\r\n"], 2),
        ([b"GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n"], 1),
        ([b"GET"], 0),
    ],
)
async def test_a_declared_port_answers_with_the_name_of_its_pod(sent: list[bytes], answers: int) -> None:
    async with sandbox() as box:
        await _serve(box)
        nodes, pod = await connections(box)
        stream = Stream(*sent)
        await (await nodes.forward(pod))(8080, stream)
        assert stream.answer.count(b"HTTP/1.1 200 OK") == stream.answer.count(b"\r\n\r\nweb\n") == answers


async def test_another_port_refuses_connections() -> None:
    async with sandbox() as box:
        await _serve(box)
        nodes, pod = await connections(box)
        with pytest.raises(ConnectionRefusedError, match="connect: connection refused"):
            await (await nodes.forward(pod))(81, Stream())


async def test_the_ports_of_a_container_in_back_off_refuse_connections() -> None:
    async with sandbox() as box:
        await box.run("exit 1")
        nodes, pod = await connections(box)
        with pytest.raises(ConnectionRefusedError):
            await (await nodes.forward(pod))(8080, Stream())


async def test_no_ports_of_a_pod_that_has_ended_are_forwarded() -> None:
    async with sandbox() as box:
        await box.run("true", restartPolicy="Never")
        nodes, pod = await connections(box)
        with pytest.raises(ApiError) as refused:
            await nodes.forward(pod)
        assert refused.value.message == 'pod not found ("web_default")'


@pytest.mark.parametrize(
    ("image", "port"),
    [("nginx:1.27", 80), ("registry.example.com/library/httpd@sha256:" + "0" * 64, 80), ("http-echo", 5678)],
)
async def test_known_servers_listen_on_their_ports(image: str, port: int) -> None:
    async with sandbox() as box:
        await box.create(containers=[{"name": "c0", "image": image}])
        nodes, pod = await connections(box)
        assert (await nodes.request(pod, port, HttpRequest("/"))).body == b"web\n"
        with pytest.raises(ConnectionRefusedError):
            await nodes.request(pod, port + 1, HttpRequest("/"))


async def test_a_known_server_with_a_command_does_not_listen() -> None:
    async with sandbox() as box:
        await box.create(containers=[{"name": "c0", "image": "nginx", "command": ["sleep", "600"]}])
        nodes, pod = await connections(box)
        with pytest.raises(ConnectionRefusedError):
            await nodes.request(pod, 80, HttpRequest("/"))


async def test_a_server_with_another_protocol_closes_the_connection() -> None:
    async with sandbox() as box:
        await box.create(containers=[{"name": "c0", "image": "redis:7", "ports": [{"containerPort": 6379}]}])
        nodes, pod = await connections(box)
        stream = Stream(b"PING\r\n", b"GET / HTTP/1.1\r\n\r\n")
        await (await nodes.forward(pod))(6379, stream)
        assert stream.answer == b""
        with pytest.raises(StreamFailed, match=r"^EOF$"):
            await nodes.request(pod, 6379, HttpRequest("/"))


async def test_answers_are_those_of_the_behaviour() -> None:
    async with sandbox() as box:
        http = [
            {"port": 9000, "path": "/health*", "status": 503, "headers": {"Retry-After": "1"}, "body": "no"},
            {"path": "/*", "headers": {"Content-Type": "application/json"}, "body": "{}"},
        ]
        metadata = {"annotations": {"memkube.dev/behavior": json.dumps({"http": http})}}
        await box.create(metadata=metadata, containers=[{"name": "c0", "image": "nginx"}])
        nodes, pod = await connections(box)
        assert await nodes.request(pod, 9000, HttpRequest("/healthz?x")) == (503, (("Retry-After", "1"),), b"no")
        assert (await nodes.request(pod, 80, HttpRequest("/healthz"))).body == b"{}"
        stream = Stream(b"HEAD /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")
        await (await nodes.forward(pod))(9000, stream)
        head = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 1\r\n"
        assert stream.answer == head + b"Content-Length: 2\r\nConnection: close\r\n\r\n"


async def test_a_failed_node_does_not_respond() -> None:
    async with sandbox() as box:
        await _serve(box)
        nodes, pod = await connections(box)
        assert box.cluster.manager.kubelet is not None
        box.cluster.manager.kubelet.nodes.fail("node-1")
        with pytest.raises(TimeoutError):
            await nodes.request(pod, 8080, HttpRequest("/"))


async def test_a_pod_that_has_ended_forwards_nothing() -> None:
    async with sandbox() as box:
        await box.run("true", restartPolicy="Never")
        nodes, pod = await connections(box)
        with pytest.raises(ApiError):
            await nodes.forward(pod)


async def _serve(box: Sandbox) -> None:
    await box.create(containers=[container("c0", "sleep 600", ports=[{"containerPort": 8080}])])
    await asyncio.sleep(0)
