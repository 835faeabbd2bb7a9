"""The simulated machines as other controllers see them."""

from collections.abc import Callable
from typing import Protocol


class NodeMachine(Protocol):
    """The simulated machine of a node."""

    @property
    def is_silent(self) -> bool:
        """True if the machine's kubelet does not reach the API server, because it has stopped or is cut off."""

    @property
    def host_ip(self) -> str:
        """The machine's own IP address."""


class NodeMachines(Protocol):
    """The simulated machines of a server."""

    def get(self, name: str) -> NodeMachine | None:
        """Return the machine of a node, or None if the node is not simulated."""

    def subscribe(self, listener: Callable[[str], None]) -> None:
        """Register a function that is called with the name of a machine that changed or was removed."""
