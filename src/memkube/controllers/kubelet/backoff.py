"""How long a node waits before it tries again (client-go ``util/flowcontrol``)."""

from datetime import datetime, timedelta
from typing import Final

FIRST_DELAY: Final = timedelta(seconds=10)
LONGEST_DELAY: Final = timedelta(minutes=5)


class Backoff:
    """Delays of 10 seconds, doubling to 5 minutes; after 10 quiet minutes they begin anew."""

    def __init__(self) -> None:
        self.delay = timedelta()
        self._updated: datetime | None = None

    def waits(self, since: datetime, now: datetime) -> bool:
        """Whether an attempt is still too early after what happened at `since`."""
        return not self._is_over(since) and now - since < self.delay

    def lengthen(self, since: datetime, now: datetime) -> None:
        """An attempt is made because of what happened at `since`: the next delay is twice as long."""
        begins = self._is_over(since) or not self.delay
        self.delay = FIRST_DELAY if begins else min(self.delay * 2, LONGEST_DELAY)
        self._updated = now

    def _is_over(self, since: datetime) -> bool:
        return self._updated is None or since - self._updated > 2 * LONGEST_DELAY
