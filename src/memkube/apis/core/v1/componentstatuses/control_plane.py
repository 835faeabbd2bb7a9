"""The parts of the control plane: which of them run in this process."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

CONTROLLER_MANAGER: Final = "controller-manager"
SCHEDULER: Final = "scheduler"


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """The parts that run in this process. Whoever starts them provides it (``Stores.provided``)."""

    running: frozenset[str]


def control_plane_of(controllers: Collection[str]) -> ControlPlane:
    """The parts that controllers are, by name: the reference has one for its scheduler, and one for all others."""
    return ControlPlane(frozenset(SCHEDULER if name == SCHEDULER else CONTROLLER_MANAGER for name in controllers))
