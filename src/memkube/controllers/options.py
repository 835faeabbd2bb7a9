"""Options of the controllers and of the leader election."""

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    # The format of pools is imported with the first pool, the plugins of the scheduler with the first pod.
    from memkube.controllers.nodes.pools import NodePool
    from memkube.controllers.scheduler.framework import Profile

MOST_NODES: Final = 3000
"""Maximum number of nodes: each has a /24 of pod addresses from 10.244.1.0 to 10.255.255.255."""

_JITTER: Final = 1.2


@dataclass(frozen=True, slots=True)
class ControllerOptions:
    """Options of the simulated nodes and their pods."""

    nodes: int = 1
    """Number of simulated nodes outside of pools."""
    zones: int = 1
    """Number of zones among which the nodes are distributed."""
    container_log_bytes: int = 10 * 1024 * 1024
    """Maximum number of bytes of a container's log, in the format of the node. The oldest lines are removed first."""
    log_line_bytes: int = 16 * 1024
    """Maximum number of bytes of a log line. Longer lines are split, as by container runtimes."""
    container_file_bytes: int = 64 * 1024 * 1024
    """Maximum number of bytes of the files of a container, and of those of a volume."""
    sessions_per_pod: int = 64
    """Maximum number of concurrent ``exec`` and ``attach`` sessions of a pod."""
    scheduler_profiles: tuple["Profile", ...] = ()
    """Profiles of the scheduler; empty for kube-scheduler's default profile alone."""
    scheduler_annotations: bool = False
    """True if the scheduler writes its results into annotations of the pods."""
    node_pools: tuple["NodePool", ...] = ()
    """Pools of simulated nodes."""

    def __post_init__(self) -> None:
        """Validate the options. Raises ValueError for a number that is out of range."""
        total = self.nodes + sum(pool.initial_count for pool in self.node_pools)
        if self.nodes < 0 or total > MOST_NODES:
            raise ValueError(f"the number of nodes must be between 0 and {MOST_NODES}, not {total}")
        if self.zones < 1:
            raise ValueError(f"the number of zones must be at least 1, not {self.zones}")
        for bound in ("container_log_bytes", "log_line_bytes", "container_file_bytes", "sessions_per_pod"):
            if getattr(self, bound) < 1:
                raise ValueError(f"{bound} must be at least 1, not {getattr(self, bound)}")


@dataclass(frozen=True, slots=True)
class ElectionOptions:
    """Options of the leader election among servers that share a storage (client-go ``LeaderElectionConfig``)."""

    lease_seconds: float = 15.0
    """Seconds that followers wait before they acquire a lease that is not renewed."""
    renew_seconds: float = 10.0
    """Seconds that the leader tries to renew the lease before it stops leading."""
    retry_seconds: float = 2.0
    """Seconds between two attempts to acquire or renew the lease."""
    url: str = ""
    """URL at which other servers reach this one; empty for the address on which it listens."""

    def __post_init__(self) -> None:
        """Validate the options. Raises ValueError, with client-go's message, for times that do not fit together."""
        if self.lease_seconds <= self.renew_seconds:
            raise ValueError("leaseDuration must be greater than renewDeadline")
        if self.renew_seconds <= _JITTER * self.retry_seconds:
            raise ValueError("renewDeadline must be greater than retryPeriod*JitterFactor")
        if self.retry_seconds <= 0:
            raise ValueError("retryPeriod must be greater than zero")

    @property
    def whole_lease_seconds(self) -> int:
        """Lease duration in whole seconds, as in the Lease."""
        return ceil(self.lease_seconds)
