"""What nodes let clients reach of the pods that they run."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from memkube.apis.core.v1.pods.types.log_options import PodLogOptions
from memkube.apis.core.v1.pods.types.pod import Pod
from memkube.registry.streaming import PortForwarding, Session


class NodeConnections(Protocol):
    """The nodes' side of ``log``, ``exec``, ``attach`` and ``portforward``, provided where pods are run.

    The pod has a node and the container is one of its own. Everything else that can be refused is refused by an
    ApiError before the first byte; what goes wrong later is a StreamFailed.
    """

    async def log(self, pod: Pod, container: str, options: PodLogOptions) -> AsyncIterator[bytes]:
        """What the container wrote, in pieces; with ``follow``, until the container has ended.

        The iterator is closed when the client goes away.
        """

    async def execute(self, pod: Pod, container: str, command: Sequence[str]) -> Session:
        """A command in a running container."""

    async def attach(self, pod: Pod, container: str) -> Session:
        """The container's own process."""

    async def forward(self, pod: Pod) -> PortForwarding:
        """The ports of a running pod."""
