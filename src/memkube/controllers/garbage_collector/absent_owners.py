"""Owners that are known not to exist (``uid_cache.go``)."""

from collections import OrderedDict
from typing import Final

from memkube.controllers.garbage_collector.identity import Identity

_CAPACITY: Final = 500


class AbsentOwners:
    """Remembers the owners that were asked for last. A uid never comes back, so that what is absent stays so."""

    def __init__(self) -> None:
        self._known: OrderedDict[Identity, None] = OrderedDict()

    def add(self, owner: Identity) -> None:
        """Remembers an owner."""
        self._known[owner] = None
        self._known.move_to_end(owner)
        if len(self._known) > _CAPACITY:
            self._known.popitem(last=False)

    def __contains__(self, owner: Identity) -> bool:
        found = owner in self._known
        if found:
            self._known.move_to_end(owner)
        return found
