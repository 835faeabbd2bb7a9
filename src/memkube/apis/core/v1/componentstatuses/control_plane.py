"""Control-plane components that run in this process."""

from collections.abc import Collection
from typing import Final

CONTROLLER_MANAGER: Final = "controller-manager"
SCHEDULER: Final = "scheduler"


def local_components(controllers: Collection[str]) -> frozenset[str]:
    """Return the components to which the named controllers belong: the scheduler or the controller manager."""
    return frozenset(SCHEDULER if name == SCHEDULER else CONTROLLER_MANAGER for name in controllers)
