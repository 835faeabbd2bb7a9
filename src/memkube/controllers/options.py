"""What controllers can be told at the start."""

from dataclasses import dataclass
from math import ceil
from typing import Final

MOST_NODES: Final = 3000
"""There are as many blocks of addresses for pods from 10.244.1.0 to 10.255.255.255."""

_JITTER: Final = 1.2


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


@dataclass(frozen=True, slots=True)
class ElectionOptions:
    """How servers on one storage agree on the one that runs the controllers (client-go's ``LeaderElectionConfig``)."""

    lease_seconds: float = 15.0
    """How long others wait for a leader that does not renew its lease."""
    renew_seconds: float = 10.0
    """How long the leader tries to renew it before it stops to lead."""
    retry_seconds: float = 2.0
    """How long everybody waits between two attempts."""
    url: str = ""
    """Where the other servers reach this one; the address that it listens at if empty."""

    def __post_init__(self) -> None:
        """Raises ValueError with one line, in the reference's words, for times that do not fit each other."""
        if self.lease_seconds <= self.renew_seconds:
            raise ValueError("leaseDuration must be greater than renewDeadline")
        if self.renew_seconds <= _JITTER * self.retry_seconds:
            raise ValueError("renewDeadline must be greater than retryPeriod*JitterFactor")
        if self.retry_seconds <= 0:
            raise ValueError("retryPeriod must be greater than zero")

    @property
    def whole_lease_seconds(self) -> int:
        """As a Lease tells it."""
        return ceil(self.lease_seconds)
