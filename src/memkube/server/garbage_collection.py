"""Garbage collection in a process that is a server: large stores are left alone, and cycles do not pile up."""

import ctypes
import gc
from time import monotonic
from typing import Final

_THRESHOLDS: Final = (50_000, 20, 100)
_SECONDS: Final = 60.0
_SHARE: Final = 0.001
"""How much of the time is spent on looking for garbage at most, where there is much to look through."""


def spare_the_collector() -> None:
    """Objects that are kept are no garbage: looking through all of them again and again would stall requests.

    The interpreter looks by itself when there are 50,000 more objects than before, and through all of them when that
    has been so two thousand times.
    """
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


class Collections:
    """Collects garbage by time, for a server that serves for long and does not grow.

    What refers to itself in a circle, as an exception does and the frame that caught it, would otherwise stay until
    there are a million such objects. It is no more than a minute's, and no more than a thousandth of the time is
    spent on it. Memory that is free then goes back to the system, as far as it is in whole pages.
    """

    def __init__(self, seconds: float = _SECONDS) -> None:
        """The first time is so many seconds from now, and so many are between two times at least."""
        self._seconds = seconds
        self._next = monotonic() + seconds

    def look(self) -> None:
        """Collects garbage if it is time to; to be called often."""
        began = monotonic()
        if began >= self._next:
            gc.collect()
            _give_back()
            self._next = began + max(self._seconds, (monotonic() - began) / _SHARE)


def _give_back() -> None:
    """Has glibc return free pages to the system: by itself it keeps those that are not at the end of its heap."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
