"""Garbage collection of a server process: few pauses with many objects, and bounded garbage in cycles."""

import ctypes
import gc
from time import monotonic
from typing import Final

_THRESHOLDS: Final = (50_000, 20, 100)
_SECONDS: Final = 60.0
_SHARE: Final = 0.001
"""Maximum share of time spent in garbage collection."""


def spare_the_collector() -> None:
    """Make automatic collections rare, since a collection that visits all stored objects stalls requests.

    Objects that exist now are never visited again. A collection of new objects runs after 50,000 allocations, and a
    full one after 2,000 of those.
    """
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


class Collections:
    """Runs full collections periodically, for long-running servers whose number of objects does not grow.

    Without it, objects in reference cycles, such as exceptions and their frames, would stay until a million of them
    exist. Collections run at most once a minute, and take at most a thousandth of the time. Freed memory is returned
    to the system afterwards.
    """

    def __init__(self, seconds: float = _SECONDS) -> None:
        """Collect at most once in this number of seconds."""
        self._seconds = seconds
        self._next = monotonic() + seconds

    def look(self) -> None:
        """Run a collection if it is due. Call this about once a second."""
        began = monotonic()
        if began >= self._next:
            gc.collect()
            _give_back()
            self._next = began + max(self._seconds, (monotonic() - began) / _SHARE)


def _give_back() -> None:
    """Return free pages to the system. By itself glibc returns only those at the end of its heap."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
