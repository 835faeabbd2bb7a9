"""The time that objects are stamped with. Tests and the sandbox inject other clocks."""

from datetime import UTC, datetime
from typing import Protocol

from memkube.apimachinery.time import Time


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""


class RealClock:
    """The clock on the wall."""

    def now(self) -> datetime:
        """See Clock."""
        return datetime.now(UTC)


def written_now(clock: Clock) -> Time:
    """The present instant as objects carry it, in whole seconds."""
    return Time.at(clock.now())
