"""What controllers can be told at the start."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ControllerOptions:
    """The choices of whoever starts a server."""

    nodes: int = 1
    """How many nodes are simulated."""
    zones: int = 1
    """How many zones the nodes are spread over."""
