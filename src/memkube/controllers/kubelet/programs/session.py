"""What a played program finds around it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from memkube.controllers.kubelet.programs.files import Files


@dataclass(slots=True)
class Session:
    """The surroundings of one program: its environment, its files, and the time."""

    environment: dict[str, str]
    hostname: str
    files: Files
    now: Callable[[], datetime]
    working_directory: str = "/"
    runs_on: bool = False
    """Whether a command that is not played runs for ever, as a container's own process does; else it is not found."""
    terminal: bool = False
    """Whether input and output are a terminal."""
    variables: dict[str, str] = field(default_factory=dict)
    """Shell variables that commands do not see."""

    def variable(self, name: str) -> str | None:
        """The value of a variable, if it is set."""
        return self.variables.get(name, self.environment.get(name))
