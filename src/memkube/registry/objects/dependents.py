"""Detection of the first object with owner references or finalizers: the garbage collector has no work before it."""

from collections.abc import Callable
from typing import TypeAlias

from memkube.registry.objects.stored import StoredObject

Listener: TypeAlias = Callable[[StoredObject], None]


class Dependents:
    """Detects whether objects with owner references or finalizers exist.

    Servers of short tests rarely store such objects, and then do not run the garbage collector.
    """

    def __init__(self, *, known: bool = False) -> None:
        self.known = known
        """True if objects with owner references or finalizers may exist. Then :meth:`look_at` need not be called."""
        self._listener: Listener | None = None

    def look_at(self, written: StoredObject) -> None:
        """Report that an object with owner references or finalizers was written.

        The object is passed to the listener. If there is no listener, `known` becomes True.
        """
        if self._listener is None:
            self.known = True
        else:
            self._listener(written)

    def listen(self, listener: Listener | None) -> None:
        """Pass each object reported by `look_at` to `listener`, which may set `known`. None removes the listener."""
        self._listener = listener
