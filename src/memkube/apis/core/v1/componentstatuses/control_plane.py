"""Control-plane components that memkube simulates in its own process."""

from collections.abc import Collection
from typing import Final

CONTROLLER_MANAGER: Final = "controller-manager"
SCHEDULER: Final = "scheduler"


def local_components(controllers: Collection[str]) -> frozenset[str]:
    """Return the components (scheduler, controller manager) that this process simulates.

    `controllers` has the names of the simulated controllers.
    """
    return frozenset(SCHEDULER if name == SCHEDULER else CONTROLLER_MANAGER for name in controllers)
