"""What a container is started with, and lives in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.kubelet.behavior import ContainerBehavior
from memkube.controllers.kubelet.environment import container_environment
from memkube.controllers.kubelet.programs.files import Contents, Files
from memkube.controllers.kubelet.programs.program import Session
from memkube.controllers.kubelet.surroundings import AnyContainer, Surroundings
from memkube.controllers.kubelet.volumes import MountedFiles, shared_files
from memkube.controllers.options import ControllerOptions

Reporter: TypeAlias = Callable[[Report], None]


@dataclass(frozen=True, slots=True)
class Setting:
    """A pod's containers at an instant: their surroundings, and whom they report to."""

    now: datetime
    surroundings: Surroundings
    volumes: Mapping[str, Contents]
    """The contents of volumes that can be written to, by name."""
    behavior: Callable[[AnyContainer], ContainerBehavior]
    """What a container is to do. Raises NotConfigured."""
    report: Reporter
    options: ControllerOptions
    """How much containers may keep."""

    def session(self, container: AnyContainer) -> Session:
        """What a new run of a container finds around it. Raises NotConfigured."""
        return Session(
            environment=container_environment(container, self.surroundings),
            hostname=self.surroundings.hostname,
            files=Files(
                MountedFiles(container, self.surroundings),
                shared_files(container, self.volumes),
                self.options.container_file_bytes,
            ),
            now=lambda: self.now,
            working_directory=container.workingDir or "/",
            user=self._user(container),
        )

    def _user(self, container: AnyContainer) -> int:
        """Whom a container runs as: root, where its image says no other, as that is not known."""
        contexts = container.securityContext, self.surroundings.pod.spec.securityContext
        users = (context.runAsUser for context in contexts if context is not None)
        return next((user for user in users if user is not None), 0)
