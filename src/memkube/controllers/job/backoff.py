"""How long a Job waits after failures before it makes pods again (``backoff_utils.go``)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from memkube.controllers.job.pods import ended_at
from memkube.registry.stored import StoredObject

_FIRST: Final = timedelta(seconds=10)
_LONGEST: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Backoff:
    """The failures since the last success."""

    failures: int = 0
    last: datetime | None = None

    def after(self, succeeded: Iterable[StoredObject], failed: Iterable[StoredObject]) -> "Backoff":
        """The failures when these pods have ended as well."""
        failures, success = sorted(map(ended_at, failed)), max(map(ended_at, succeeded), default=None)
        if success is not None:
            later = [moment for moment in failures if moment > success]
            return Backoff(len(later), later[-1] if later else None)
        return Backoff(self.failures + len(failures), failures[-1]) if failures else self

    def seconds_left(self, now: datetime) -> float:
        """How long to wait: ten seconds after one failure, twice as long with each other, ten minutes at most."""
        if self.last is None:
            return 0
        # Beyond this exponent every delay is the longest one.
        delay: timedelta = min(_FIRST * 2 ** min(self.failures - 1, 16), _LONGEST)
        return max((self.last + delay - now).total_seconds(), 0)
