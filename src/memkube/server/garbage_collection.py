"""Settings of Python's garbage collector for a server process: short pauses, and a limit on uncollected garbage."""

import ctypes
import gc
from time import monotonic
from typing import Final

_THRESHOLDS: Final = (50_000, 5, 400)
_SECONDS: Final = 60.0
_SHARE: Final = 0.001
"""Maximum share of the time that is spent in garbage collection."""


def make_collections_rare() -> None:
    """Make automatic collections rare, because a full collection visits all stored objects and delays requests.

    Objects that exist now are never visited again. New objects are collected after 50,000 allocations, and all objects
    after 2,000 such collections.
    """
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


class Collections:
    """Runs full collections periodically, for long-running servers whose number of objects does not grow.

    Otherwise objects in reference cycles, such as exceptions and their frames, would accumulate up to a million.
    Collections run at most once a minute, and so rarely that they take at most a thousandth of the process's running
    time. After each one, freed memory is returned to the operating system.
    """

    def __init__(self, seconds: float = _SECONDS) -> None:
        """`seconds` is the minimum number of seconds between two garbage collections."""
        self._seconds = seconds
        self._next = monotonic() + seconds

    def look(self) -> None:
        """Run a full garbage collection if enough time has passed since the last. Call this about once a second."""
        began = monotonic()
        if began >= self._next:
            gc.collect()
            _give_back()
            self._next = began + max(self._seconds, (monotonic() - began) / _SHARE)


def _give_back() -> None:
    """Return free memory pages to the operating system; by itself, glibc returns only those at the end of the heap."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
