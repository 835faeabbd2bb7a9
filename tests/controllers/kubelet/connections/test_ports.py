import asyncio

import pytest

from memkube.apimachinery.errors import ApiError
from tests.controllers.kubelet.connections.client import connections
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio


class Stream:
    """One connection, whose client has said all that it has to say."""

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


async def test_a_pod_that_has_ended_forwards_nothing() -> None:
    async with sandbox() as box:
        await box.run("true", restartPolicy="Never")
        nodes, pod = await connections(box)
        with pytest.raises(ApiError):
            await nodes.forward(pod)


async def _serve(box: Sandbox) -> None:
    await box.create(containers=[container("c0", "sleep 600", ports=[{"containerPort": 8080}])])
    await asyncio.sleep(0)
