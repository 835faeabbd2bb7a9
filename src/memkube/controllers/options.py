"""What controllers can be told at the start."""

from dataclasses import dataclass
from typing import Final

MOST_NODES: Final = 3000
"""There are as many blocks of addresses for pods from 10.244.1.0 to 10.255.255.255."""


@dataclass(frozen=True, slots=True)
class ControllerOptions:
    """The choices of whoever starts a server."""

    nodes: int = 1
    """How many nodes are simulated."""
    zones: int = 1
    """How many zones the nodes are spread over."""

    def __post_init__(self) -> None:
        """Raises ValueError with one line for a number that makes no sense."""
        if not 0 <= self.nodes <= MOST_NODES:
            raise ValueError(f"there cannot be {self.nodes} nodes: 0 to {MOST_NODES}")
        if self.zones < 1:
            raise ValueError(f"there cannot be {self.zones} zones: nodes stand in 1 or more")
