"""Parses the times and durations that a scenario file gives its steps."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, TypeAlias

from pydantic import BeforeValidator, PlainValidator

from memkube.apimachinery.duration import parse_duration

_time_of_day: Final = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?").fullmatch


class Moment:
    """A time in a scenario: a duration since its start, a time of day, or a date with a time.

    A time of day means its first occurrence at or after the start. Raises ValueError for any other text.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._fixed: datetime | None = None
        self._since_midnight: timedelta | None = None
        self._offset = timedelta()
        if found := _time_of_day(text):
            hours, minutes, seconds = (int(part or 0) for part in found.groups())
            self._since_midnight = timedelta(hours=hours, minutes=minutes, seconds=seconds)
        elif "T" in text:
            self._fixed = read_instant(text)
        else:
            self._offset = timedelta(seconds=read_duration(text))

    def after(self, start: datetime) -> datetime:
        """Return the date and time of this moment in a scenario that starts at `start`."""
        if self._fixed is not None:
            return self._fixed
        if self._since_midnight is None:
            return start + self._offset
        midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
        found = midnight + self._since_midnight
        return found if found >= start else found + timedelta(days=1)

    def __str__(self) -> str:
        return self._text


def read_instant(text: object) -> datetime:
    """Return the UTC time that a text such as ``2026-01-05T08:00:00Z`` gives.

    Raises ValueError if the text has another form.
    """
    try:
        instant = text if isinstance(text, datetime) else datetime.fromisoformat(str(text))
    except ValueError:
        raise ValueError(f"{text!r} is not a time such as 2026-01-05T08:00:00Z") from None
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


def read_duration(text: object) -> float:
    """Return the number of seconds in a duration such as ``1m30s``.

    Raises ValueError if the text is not a duration or is negative.
    """
    try:
        seconds = parse_duration(str(text))
    except ValueError:
        raise ValueError(
            f"{text!r} is not a time: write a duration such as 90s or 1h30m, a time of day such as 09:00, "
            "or a date and time such as 2026-01-05T08:00:00Z"
        ) from None
    if seconds < 0:
        raise ValueError(f"the duration {text!r} is negative")
    return seconds


def _read_moment(value: object) -> Moment:
    return value if isinstance(value, Moment) else Moment(str(value))


def _read_positive(text: object) -> float:
    seconds = read_duration(text)
    if seconds <= 0:
        raise ValueError(f"the duration {text!r} must be longer than 0s")
    return seconds


When: TypeAlias = Annotated[Moment, PlainValidator(_read_moment)]
Instant: TypeAlias = Annotated[datetime, BeforeValidator(read_instant)]
Period: TypeAlias = Annotated[float, PlainValidator(_read_positive)]
"""A duration longer than zero, in seconds."""
