"""Whether there are objects that depend on others, which is all that a garbage collector has to do with."""

from collections.abc import Callable
from typing import TypeAlias

from memkube.registry.objects.stored import StoredObject

Listener: TypeAlias = Callable[[StoredObject], None]


class Dependents:
    """Hears of writes of objects that have owners or finalizers, until somebody has found out that it matters.

    Most servers that are started for one test see none that does.
    """

    def __init__(self, *, known: bool = False) -> None:
        self.known = known
        """Whether there may be dependents: nobody need tell of more."""
        self._listener: Listener | None = None

    def look_at(self, written: StoredObject) -> None:
        """Hears of a write. Where nobody listens, it matters."""
        if self._listener is None:
            self.known = True
        else:
            self._listener(written)

    def listen(self, listener: Listener | None) -> None:
        """Has `listener` find out what matters, and set `known` then."""
        self._listener = listener
