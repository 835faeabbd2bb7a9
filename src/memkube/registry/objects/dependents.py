"""Tells the garbage collector whether the server has any objects with owners or finalizers."""

from collections.abc import Callable
from typing import TypeAlias

from memkube.registry.objects.stored import StoredObject

Listener: TypeAlias = Callable[[StoredObject], None]


class Dependents:
    """Tells whether any object has an owner or a finalizer that the garbage collector has to act on.

    A server that is started for one test rarely has one, and can do without a running garbage collector.
    """

    def __init__(self, *, known: bool = False) -> None:
        self.known = known
        """True if there may be such objects. Then :meth:`look_at` need not be called any more."""
        self._listener: Listener | None = None

    def look_at(self, written: StoredObject) -> None:
        """Record the write of an object with owners or finalizers: call the listener, or without one set `known`."""
        if self._listener is None:
            self.known = True
        else:
            self._listener(written)

    def listen(self, listener: Listener | None) -> None:
        """Let `listener` decide about each write, and set `known` itself. None removes the listener."""
        self._listener = listener
