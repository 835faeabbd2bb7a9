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

    Python objects that exist now are never visited again. Of the later ones, those that are new are visited after each
    50,000 allocations, and all of them in every 2,000th collection.
    """
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


class Collections:
    """Runs full collections periodically, for long-running servers whose number of objects does not grow.

    Automatic collections are too rare for such a server: up to a million objects in reference cycles, such as
    exceptions and their frames, would accumulate before one runs. The collections here run at most once a minute, and
    take at most a thousandth of the process's running time. After each one, freed memory is returned to the operating
    system.
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
