"""When probes run, and what their results come to (``pkg/kubelet/prober``)."""

from datetime import datetime, timedelta
from typing import NamedTuple

from memkube.apis.core.v1.podspec.types.probes import Probe


class ProbeResult(NamedTuple):
    """The result of one check, with what it has to say of a failure."""

    succeeded: bool
    output: str = ""


class ProbeRunner:
    """One probe of one run of a container.

    The first check comes `initialDelaySeconds` after the start of the container, but not before `enabled`; others
    follow at every period. `outcome` changes once as many checks in a row agree as the thresholds ask for.
    """

    def __init__(self, probe: Probe, started: datetime, enabled: datetime, *, stops_at_outcome: bool) -> None:
        self._probe = probe
        self._stops_at_outcome = stops_at_outcome
        self._last: bool | None = None
        self._in_a_row = 0
        self.outcome: bool | None = None
        self.due: datetime | None = max(started + timedelta(seconds=probe.initialDelaySeconds), enabled)

    def take(self, succeeded: bool) -> None:
        """Counts the result of the check that was due."""
        assert self.due is not None
        self.due += timedelta(seconds=max(self._probe.periodSeconds, 1))
        self._in_a_row = self._in_a_row + 1 if succeeded == self._last else 1
        self._last = succeeded
        threshold = self._probe.successThreshold if succeeded else self._probe.failureThreshold
        if self._in_a_row >= threshold:
            self.outcome = succeeded
            if self._stops_at_outcome:
                self.due = None


def failure_text(probe: Probe, pod_ip: str) -> str:
    """What a failed check of a simulated service says."""
    if probe.grpc is not None:
        return 'service unhealthy (responded with "NOT_SERVING")'
    if probe.httpGet is not None:
        return "HTTP probe failed with statuscode: 503"
    if (tcp := probe.tcpSocket) is not None:
        return f"dial tcp {tcp.host or pod_ip}:{tcp.port}: connect: connection refused"
    return ""
