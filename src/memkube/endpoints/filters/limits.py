"""Maximum numbers of concurrent requests: reads, writes, watches and streams."""

from typing import NamedTuple


class RequestLimits(NamedTuple):
    """Maximum number of concurrent requests of each kind; 0 for no limit.

    Health checks are never limited.
    """

    reads: int = 400
    """Maximum number of reads: ``--max-requests-inflight`` of kube-apiserver."""
    writes: int = 200
    """Maximum number of writes: ``--max-mutating-requests-inflight`` of kube-apiserver."""
    watches: int = 30_000
    """Maximum number of open watches."""
    streams: int = 2_000
    """Maximum number of followed logs, exec and attach sessions, forwarded ports and proxied connections."""
