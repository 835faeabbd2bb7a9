"""Control-plane components that run in this process."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

CONTROLLER_MANAGER: Final = "controller-manager"
SCHEDULER: Final = "scheduler"


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """Names of the control-plane components that run in this process.

    Code that starts components provides it through ``Stores.provided``.
    """

    running: frozenset[str]


def control_plane_of(controllers: Collection[str]) -> ControlPlane:
    """Return the components to which the named controllers belong: the scheduler or the controller manager."""
    return ControlPlane(frozenset(SCHEDULER if name == SCHEDULER else CONTROLLER_MANAGER for name in controllers))
