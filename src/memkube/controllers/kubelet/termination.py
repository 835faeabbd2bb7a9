"""How the containers of a pod are brought to their end."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memkube.controllers.kubelet.container import SimulatedContainer
from memkube.controllers.kubelet.setting import AnyContainer, Setting


@dataclass(slots=True)
class Termination:
    """The end of all containers: at once for most, and for sidecars in reverse order once the others are gone."""

    begun: datetime
    grace: int

    def shorten(self, now: datetime, grace: int) -> None:
        """Counts a grace period anew where it ends earlier."""
        if (now - self.begun).total_seconds() + grace < self.grace:
            self.begun, self.grace = now, grace

    def step(
        self, setting: Setting, specs: Mapping[str, AnyContainer], containers: Mapping[str, SimulatedContainer]
    ) -> None:
        """Tells every container to stop whose turn it is."""
        running = [container for container in containers.values() if container.is_running]
        others = [container for container in running if container.role != "sidecar"]
        for container in others or running[-1:]:
            container.stop(setting, specs[container.name], self._left(setting.now))

    def _left(self, now: datetime) -> int:
        return max(self.grace - int((now - self.begun).total_seconds()), 0)
