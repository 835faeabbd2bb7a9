"""Exponential back-off of one item (client-go ``util/flowcontrol``)."""

from datetime import datetime, timedelta
from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.framework.saved_values import instant_or_none

_NO_DELAY: Final = timedelta()


class Backoff:
    """Exponential back-off: the delay before the next attempt doubles with each failed attempt, up to a maximum.

    It begins again with the first delay if no attempt was made for twice the maximum.
    """

    __slots__ = ("_first", "_longest", "_updated", "delay")

    def __init__(self, first: timedelta, longest: timedelta) -> None:
        self._first = first
        self._longest = longest
        self.delay = _NO_DELAY
        """The present delay before the next attempt; zero before the first attempt."""
        self._updated: datetime | None = None

    def waits(self, since: datetime, now: datetime) -> bool:
        """True if the next attempt must still wait: the delay after the failure at time `since` has not passed.

        Source: ``IsInBackOffSince``.
        """
        return not self.is_over(since) and now - since < self.delay

    def waits_since_update(self, now: datetime) -> bool:
        """True if the delay since the last call of `lengthen` has not passed yet (``IsInBackOffSinceUpdate``)."""
        return self._updated is not None and now - self._updated < self.delay

    def lengthen(self, since: datetime, now: datetime) -> None:
        """Double the delay, after a failure at time `since`. An expired back-off begins again with the first delay."""
        begins = self.is_over(since) or not self.delay
        self.delay = self._first if begins else min(self.delay * 2, self._longest)
        self._updated = now

    def is_over(self, now: datetime) -> bool:
        """True if the back-off has expired at `now`: no attempt was made for twice the maximum delay."""
        return self._updated is None or now - self._updated > 2 * self._longest

    def saved(self) -> Document:
        """Return the state of the back-off as JSON data, for a snapshot."""
        return {"seconds": self.delay.total_seconds(), "updated": self._updated}

    def restore(self, saved: Document) -> None:
        """Restore the state from `saved`, the result of the method `saved`.

        Raises ValueError, TypeError or KeyError for malformed data.
        """
        self.delay, self._updated = timedelta(seconds=saved["seconds"]), instant_or_none(saved["updated"])
