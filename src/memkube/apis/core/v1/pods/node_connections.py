"""What nodes let clients reach of the pods that they run."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias

from memkube.apis.core.v1.pods.types.log_options import PodLogOptions
from memkube.apis.core.v1.pods.types.pod import Pod
from memkube.registry.streaming import ByteStream, ProcessStreams

Session: TypeAlias = Callable[[ProcessStreams], Awaitable[int]]
"""Runs a process with a client's streams until it or the client is done; returns its exit code."""
PortConnection: TypeAlias = Callable[[ByteStream], Awaitable[None]]
"""Serves one connection to a port until either side is done. Raises ConnectionRefusedError where nobody listens."""


class NodeConnections(Protocol):
    """The nodes' side of ``log``, ``exec``, ``attach`` and ``portforward``, provided where pods are run.

    Everything that can be refused is refused by an ApiError before the first byte.
    """

    async def log(self, pod: Pod, container: str, options: PodLogOptions) -> AsyncIterator[bytes]:
        """What the container wrote, in pieces; with ``follow``, until the container has ended."""

    async def execute(self, pod: Pod, container: str, command: Sequence[str]) -> Session:
        """A command in a running container."""

    async def attach(self, pod: Pod, container: str) -> Session:
        """The container's own process."""

    async def port(self, pod: Pod, port: int) -> PortConnection:
        """A port of a running pod."""
