"""Interface of the simulated machines of nodes for controllers other than the kubelet."""

from collections.abc import Callable
from typing import Protocol


class NodeMachine(Protocol):
    """The simulated machine behind a node, as controllers see it: whether its kubelet responds, and its IP address."""

    @property
    def is_silent(self) -> bool:
        """True if the kubelet of the machine cannot reach the API server: it was stopped, or its network was cut."""

    @property
    def host_ip(self) -> str:
        """IP address of the simulated machine, which is also that of its Node."""


class NodeMachines(Protocol):
    """Finds the simulated machines behind the nodes of a server, and reports their changes."""

    def get(self, name: str) -> NodeMachine | None:
        """Return the machine of a node, or None if the node is not simulated."""

    def subscribe(self, listener: Callable[[str], None]) -> None:
        """Register a function that is called with the name of a simulated machine that has changed or was removed."""
