"""Options of the simulated nodes, the scheduler, the signing of certificates and the leader election."""

from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    # Imported for types only: these modules are only loaded if there are node pools, or pods to be scheduled.
    from memkube.controllers.nodes.pools import NodePool
    from memkube.controllers.scheduler.framework import Profile

MOST_NODES: Final = 3000
"""Maximum number of nodes, which is less than the number of /24 pod networks from 10.244.1.0 to 10.255.255.255."""

_JITTER: Final = 1.2


class SigningFiles(NamedTuple):
    """PEM files of the certificate authority that signs CertificateSigningRequests."""

    certificate: Path
    """File with the authority's certificate (``--cluster-signing-cert-file``)."""
    key: Path
    """File with the private key of the certificate (``--cluster-signing-key-file``)."""


@dataclass(frozen=True, slots=True)
class ControllerOptions:
    """Options of the simulated nodes and their pods, and of the signing of certificates."""

    nodes: int = 1
    """Number of simulated nodes outside of node pools."""
    zones: int = 1
    """Number of zones among which the nodes outside of node pools are distributed."""
    container_log_bytes: int = 10 * 1024 * 1024
    """Maximum size of a container's log in bytes, counted as in a log file on a node.

    The oldest lines are dropped first.
    """
    log_line_bytes: int = 16 * 1024
    """Maximum size of a log line in bytes. Longer lines are split, as by container runtimes."""
    container_file_bytes: int = 64 * 1024 * 1024
    """Maximum number of bytes in the files of a container, and in those of each volume."""
    sessions_per_pod: int = 64
    """Maximum number of concurrent ``exec`` and ``attach`` sessions of a pod."""
    scheduler_profiles: tuple["Profile", ...] = ()
    """Profiles of the scheduler; if empty, kube-scheduler's default profile is the only one."""
    scheduler_annotations: bool = False
    """True if the scheduler writes the results of its plugins into annotations of the pods."""
    node_pools: tuple["NodePool", ...] = ()
    """Groups of simulated nodes with equal labels, taints and capacity, in addition to the nodes that `nodes` counts.
    """
    signing_files: SigningFiles | None = None
    """Files of the authority that signs certificates; None for an authority that the server creates."""

    def __post_init__(self) -> None:
        """Validate the options of the simulated nodes. Raises ValueError if a number is too small or too large."""
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
    """Seconds after the last renewal of the lease until another server may acquire it."""
    renew_seconds: float = 10.0
    """Seconds for which the leader tries to renew the lease before it gives up leadership."""
    retry_seconds: float = 2.0
    """Seconds between two attempts to acquire or renew the lease."""
    url: str = ""
    """URL at which other servers reach this one; empty for the address on which it listens."""

    def __post_init__(self) -> None:
        """Validate the options. Raises ValueError with client-go's message if the periods contradict each other."""
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
