"""A record of whether the garbage collector has work: whether any object has owner references or finalizers."""

from collections.abc import Callable
from typing import TypeAlias

from memkube.registry.objects.stored import StoredObject

Listener: TypeAlias = Callable[[StoredObject], None]


class Dependents:
    """Records whether any object has owner references or finalizers, so that the garbage collector has work.

    Short-lived test servers rarely store such objects, and do not need to run the garbage collector.
    """

    def __init__(self, *, known: bool = False) -> None:
        self.known = known
        """True if such objects may exist. Then :meth:`look_at` need not be called."""
        self._listener: Listener | None = None

    def look_at(self, written: StoredObject) -> None:
        """Record that an object with owner references or finalizers was written.

        The listener gets the object. Without a listener, `known` becomes True.
        """
        if self._listener is None:
            self.known = True
        else:
            self._listener(written)

    def listen(self, listener: Listener | None) -> None:
        """Pass each object that `look_at` gets from now on to `listener`, which may set `known`; None removes it."""
        self._listener = listener
