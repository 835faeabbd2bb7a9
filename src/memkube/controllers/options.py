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
    container_log_bytes: int = 10 * 1024 * 1024
    """How much of each container's log is kept, as nodes count it; the oldest lines go first."""
    log_line_bytes: int = 16 * 1024
    """How long a line of a log may become; a longer one is cut into pieces, as container runtimes do."""
    container_file_bytes: int = 64 * 1024 * 1024
    """How much the files of a container, and those of a volume, come to before no space is left."""
    sessions_per_pod: int = 64
    """How many ``exec`` and ``attach`` sessions a pod has at once."""

    def __post_init__(self) -> None:
        """Raises ValueError with one line for a number that makes no sense."""
        if not 0 <= self.nodes <= MOST_NODES:
            raise ValueError(f"there cannot be {self.nodes} nodes: 0 to {MOST_NODES}")
        if self.zones < 1:
            raise ValueError(f"there cannot be {self.zones} zones: nodes stand in 1 or more")
        for bound in ("container_log_bytes", "log_line_bytes", "container_file_bytes", "sessions_per_pod"):
            if getattr(self, bound) < 1:
                raise ValueError(f"{bound} cannot be {getattr(self, bound)}: 1 or more")
