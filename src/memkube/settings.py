"""What a server is started with."""

from dataclasses import dataclass, field

from memkube.admission.available import DEFAULT_PLUGINS
from memkube.controllers.available import CONTROLLERS
from memkube.controllers.options import ControllerOptions


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices of whoever starts a server."""

    controllers: tuple[str, ...] = tuple(CONTROLLERS)
    """Names of the controllers that run."""
    controller_options: ControllerOptions = field(default_factory=ControllerOptions)
    """What they are told."""
    clock: str = "real"
    """What time objects and controllers live by: ``real``, ``stepped``, or ``x60`` for sixty times as fast."""
    admission_plugins: tuple[str, ...] = DEFAULT_PLUGINS
    """Names of the admission plugins that decide over writes, in the order in which they run."""
    history: int = 20_000
    """How many changes are kept for watches to resume from and lists to go back to."""
    history_bytes: int = 128 * 1024 * 1024
    """How many bytes of objects those changes may hold; the oldest go first."""
