"""How many requests may be under way."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How many requests of each kind are worked on at once; 0 is no bound. Health is never turned away."""

    reads: int = 400
    """``--max-requests-inflight`` of kube-apiserver."""
    writes: int = 200
    """``--max-mutating-requests-inflight``."""
    watches: int = 30_000
    """Open watches."""
    streams: int = 2_000
    """Logs that are followed, processes, forwarded ports and what is proxied."""
