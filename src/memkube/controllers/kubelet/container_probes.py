"""The three probes of one run of a container."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeAlias

from memkube.apis.core.v1.podspec.types.probes import Probe
from memkube.controllers.kubelet.behavior import ProbeType
from memkube.controllers.kubelet.probes import ProbeResult, ProbeRunner
from memkube.controllers.kubelet.setting import AnyContainer

Check: TypeAlias = Callable[[ProbeType, Probe, datetime], ProbeResult]
"""Checks a container once, at an instant."""


class ContainerProbes:
    """Says whether a running container has started, is ready, and has to be restarted.

    Liveness and readiness are checked once the startup probe, if there is one, has succeeded.
    """

    def __init__(self, container: AnyContainer, began: datetime) -> None:
        self._began = began
        self._probes: dict[ProbeType, Probe | None] = {
            "startup": container.startupProbe,
            "liveness": container.livenessProbe,
            "readiness": container.readinessProbe,
        }
        self._runners: dict[ProbeType, ProbeRunner] = {}
        self.failed: ProbeType | None = None
        startup = self._probes["startup"]
        if startup is not None:
            self._runners["startup"] = ProbeRunner(startup, began, began, stops_at_outcome=True)
        else:
            self._watch(began)

    @property
    def started(self) -> bool:
        """Whether the container has passed its startup probe."""
        startup = self._runners.get("startup")
        return startup is None or startup.outcome is True

    @property
    def ready(self) -> bool:
        """Whether the container is ready to serve."""
        if not self.started:
            return False
        readiness = self._runners.get("readiness")
        return readiness is None or readiness.outcome is True

    @property
    def due(self) -> datetime | None:
        """When the next check is due."""
        return min((r.due for r in self._runners.values() if r.due is not None), default=None)

    def step(self, now: datetime, check: Check) -> None:
        """Makes the checks that are due, in their order."""
        while self.failed is None and (due := self.due) is not None and due <= now:
            for probe_type, runner in list(self._runners.items()):
                if runner.due == due and self.failed is None:
                    self._check(probe_type, runner, due, check)

    def stop(self) -> None:
        """Checks no more, as a container that is being stopped is not checked for its life."""
        for probe_type in ("startup", "liveness"):
            self._runners.pop(probe_type, None)

    def _check(self, probe_type: ProbeType, runner: ProbeRunner, due: datetime, check: Check) -> None:
        probe = self._probes[probe_type]
        assert probe is not None
        runner.take(check(probe_type, probe, due).succeeded)
        if runner.outcome is False and probe_type != "readiness":
            self.failed = probe_type
        elif runner.outcome is True and probe_type == "startup" and len(self._runners) == 1:
            self._watch(due)

    def _watch(self, enabled: datetime) -> None:
        for probe_type in ("liveness", "readiness"):
            probe = self._probes[probe_type]
            if probe is not None:
                self._runners[probe_type] = ProbeRunner(probe, self._began, enabled, stops_at_outcome=False)
