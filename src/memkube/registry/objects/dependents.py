"""Detects the first object with owner references or finalizers. Until then, the garbage collector has no work."""

from collections.abc import Callable
from typing import TypeAlias

from memkube.registry.objects.stored import StoredObject

Listener: TypeAlias = Callable[[StoredObject], None]


class Dependents:
    """Detects whether objects with owner references or finalizers exist, because only these need garbage collection.

    Servers of short tests rarely store such objects. Until they do, they do not run the garbage collector.
    """

    def __init__(self, *, may_exist: bool = False) -> None:
        self.may_exist = may_exist
        """True if objects with owner references or finalizers may exist. Then :meth:`note_write` need not be called."""
        self._listener: Listener | None = None

    def note_write(self, written: StoredObject) -> None:
        """Note that the object `written`, which has owner references or finalizers, was written.

        If a listener is set, it gets the object and decides whether the object needs the garbage collector. Otherwise,
        `may_exist` is set to True: the garbage collector is needed from then on.
        """
        if self._listener is None:
            self.may_exist = True
        else:
            self._listener(written)

    def listen(self, listener: Listener | None) -> None:
        """Pass each object reported by `note_write` to `listener`; None removes the listener.

        The listener sets `may_exist` to True if the object needs the garbage collector.
        """
        self._listener = listener
