"""Delays the repetition of failed operations on volumes and claims (``goroutinemap/exponentialbackoff``)."""

from datetime import datetime, timedelta
from typing import Final

from memkube.controllers.framework.known_objects import Key
from memkube.time.clock import Clock

_FIRST: Final = timedelta(milliseconds=500)
_LONGEST: Final = timedelta(minutes=2, seconds=2)


class BackOff:
    """Exponential back-off of failed operations, separately for each object."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failed: dict[Key, tuple[str, datetime, timedelta]] = {}
        """For each object whose operation failed: its uid, the time of the last failure, and the delay after it."""

    def is_postponed(self, key: Key, uid: str) -> bool:
        """True if the operation on this object must wait, because it has failed recently."""
        known = self._failed.get(key)
        return known is not None and known[0] == uid and self._clock.now() - known[1] <= known[2]

    def failed(self, key: Key, uid: str) -> None:
        """Record that an operation on an object has failed. The delay doubles with each successive failure."""
        known = self._failed.get(key)
        delay = min(known[2] * 2, _LONGEST) if known is not None and known[0] == uid else _FIRST
        self._failed[key] = uid, self._clock.now(), delay

    def forget(self, key: Key) -> None:
        """Remove the recorded failures of an object: the operation succeeded, or the object was deleted."""
        self._failed.pop(key, None)
