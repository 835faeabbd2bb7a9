"""A node for tests, whose containers understand a few commands, and whose ports answer in a few ways."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import httpx

from memkube.apimachinery.errors import ApiError, bad_request
from memkube.apis.core.v1.pods.stream_options import PodLogOptions
from memkube.apis.core.v1.pods.types import Pod
from memkube.registry.declarations.streaming import (
    ByteStream,
    HttpAnswer,
    HttpRequest,
    PortForwarding,
    ProcessStreams,
    Session,
    StreamFailed,
)

HTTP_PORT, ECHO_PORT, SILENT_PORT = 80, 7, 9
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n"


def running_pod(client: httpx.Client, namespace: str) -> str:
    """Create a pod on a node, and return its URL path."""
    client.post("/api/v1/nodes", json={"metadata": {"name": "node-1"}})
    path = f"/api/v1/namespaces/{namespace}/pods"
    spec = {"nodeName": "node-1", "containers": [{"name": "app", "image": "busybox"}]}
    client.post(path, json={"metadata": {"name": "web"}, "spec": spec}).raise_for_status()
    merge = {"content-type": "application/merge-patch+json"}
    client.patch(f"{path}/web/status", json={"status": {"phase": "Running"}}, headers=merge).raise_for_status()
    return f"{path}/web"


class Node:
    """An implementation of NodeConnections, which records the sessions and logs that clients closed."""

    def __init__(self) -> None:
        self.cut_off: list[str] = []

    async def log(self, pod: Pod, container: str, options: PodLogOptions) -> AsyncIterator[bytes]:
        if options.previous:
            raise bad_request(f'previous terminated container "{container}" in pod "{pod.metadata.name}" not found')
        return self._lines(options)

    async def execute(self, pod: Pod, container: str, command: Sequence[str]) -> Session:
        if container == "stopped":
            raise ApiError(500, "", f'container not found ("{container}")')

        async def session(streams: ProcessStreams) -> int:
            try:
                return await _run(streams, command)
            except asyncio.CancelledError:
                self.cut_off.append(" ".join(command))
                raise

        return session

    async def attach(self, pod: Pod, container: str) -> Session:
        async def session(streams: ProcessStreams) -> int:
            assert streams.stdout
            await streams.stdout(b"attached to " + container.encode() + b"\n")
            await _echo(streams)
            return 3

        return session

    async def forward(self, pod: Pod) -> PortForwarding:
        async def serve(port: int, stream: ByteStream) -> None:
            if port == HTTP_PORT:
                await stream.read()
                await stream.write(_ANSWER)
            elif port == ECHO_PORT:
                while data := await stream.read():
                    await stream.write(data)
            elif port == SILENT_PORT:
                await asyncio.Event().wait()
            else:
                raise ConnectionRefusedError("connection refused")

        return serve

    async def request(self, pod: Pod, port: int, request: HttpRequest) -> HttpAnswer:
        if port == HTTP_PORT and request.uses_tls:
            raise StreamFailed("tls: first record does not look like a TLS handshake")
        if port == HTTP_PORT:
            return HttpAnswer(203, (("Location", "/moved"),), request.target.encode())
        raise (
            StreamFailed("EOF")
            if port == ECHO_PORT
            else TimeoutError
            if port == SILENT_PORT
            else ConnectionRefusedError
        )

    async def _lines(self, options: PodLogOptions) -> AsyncIterator[bytes]:
        try:
            yield b"first\nsecond\n"
            if options.follow:
                await asyncio.Event().wait()
        except (asyncio.CancelledError, GeneratorExit):
            self.cut_off.append("log")
            raise


async def _echo(streams: ProcessStreams) -> None:
    if streams.stdin and streams.stdout:
        async for piece in streams.stdin:
            await streams.stdout(piece)


async def _run(streams: ProcessStreams, command: Sequence[str]) -> int:
    """Run one of the commands ``echo``, ``cat``, ``fail``, ``size``, ``yes`` and ``wait``.

    ``fail`` writes to stderr and exits with a code, and ``size`` prints the size of the terminal.
    """
    match command:
        case ["echo", *words]:
            assert streams.stdout
            await streams.stdout((" ".join(words) + "\n").encode())
        case ["cat"]:
            await _echo(streams)
        case ["fail", code]:
            if streams.stderr:
                await streams.stderr(b"failed\n")
            return int(code)
        case ["size"]:
            assert streams.stdout
            async for size in streams.sizes:
                await streams.stdout(f"{size.width}x{size.height}".encode())
                return 0
        case ["yes", amount]:
            assert streams.stdout
            for _ in range(int(amount)):
                await streams.stdout(b"y" * 100_000)
        case ["wait"]:
            await asyncio.Event().wait()
        case _:
            raise StreamFailed(f'exec: "{command[0]}": executable file not found in $PATH')
    return 0
