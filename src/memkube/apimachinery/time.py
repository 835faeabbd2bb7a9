"""Times in the API's format (RFC 3339 in UTC) with seconds or microseconds, parsed as by Go.

Source: Go's ``time`` package (format.go); errors have Go's messages.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import ClassVar, Final, Self, TypeVar

from memkube.apimachinery.shown_values import quoted_as_time

T = TypeVar("T", bound="Time")
_DIGITS: Final = frozenset("0123456789")
_NANOSECOND_DIGITS: Final = 9
_ZERO: Final = "0001-01-01T00:00:00"


class _Misfit(Exception):
    """Raised if a part of a time's text does not match the element of the layout that must be there."""


class _OutOfRange(Exception):
    """Raised if a number in a time's text is out of range. The argument names the number, such as ``month``."""


@dataclass(slots=True)
class _Reading:
    rest: str
    number: dict[str, int] = field(default_factory=dict)
    fraction: str = ""
    offset_minutes: int = 0

    def take(self, size: int) -> str:
        taken, self.rest = self.rest[:size], self.rest[size:]
        return taken

    def digits(self, size: int) -> str:
        if len(self.rest) < size or not _DIGITS.issuperset(self.rest[:size]):
            raise _Misfit
        return self.take(size)

    def skip(self, text: str) -> None:
        for character in text:
            if not self.rest.startswith(character):
                raise _Misfit
            self.take(1)


def parse_go_time(text: str, layout: str, *, micro: bool) -> datetime:
    """Parse the text of a time by the layout of a Time or, if `micro` is true, of a MicroTime.

    The result is in UTC. Raises ValueError with Go's message, which quotes `layout`, if the text does not match the
    layout.
    """
    reading = _Reading(text)
    prefix = f"parsing time {quoted_as_time(text)}"
    for element, read in _MICRO_ELEMENTS if micro else _ELEMENTS:
        held = reading.rest
        try:
            read(reading)
        except _OutOfRange as name:
            raise ValueError(f"{prefix}: {name} out of range") from None
        except _Misfit:
            rest = reading.rest if read is _SKIPS.get(element) else held
            why = f"cannot parse {quoted_as_time(rest)} as {quoted_as_time(element)}"
            raise ValueError(f"{prefix} as {quoted_as_time(layout)}: {why}") from None
    if reading.rest:
        raise ValueError(f"{prefix}: extra text: {quoted_as_time(reading.rest)}")
    return _instant(reading, prefix)


def _instant(reading: _Reading, prefix: str) -> datetime:
    number = reading.number
    microsecond = int(reading.fraction[:6].ljust(6, "0"))
    day = timedelta(days=number["day"] - 1)
    try:
        first = datetime(number["year"], number["month"], 1, tzinfo=UTC)
        if number["day"] < 1 or (first + day).month != first.month:
            raise ValueError(f"{prefix}: day out of range")
        instant = first.replace(
            day=number["day"],
            hour=number["hour"],
            minute=number["minute"],
            second=number["second"],
            microsecond=microsecond,
        )
        return instant - timedelta(minutes=reading.offset_minutes)
    except OverflowError:
        raise ValueError(f"{prefix}: year out of range") from None


def _year(reading: _Reading) -> None:
    reading.number["year"] = int(reading.digits(4))
    if reading.number["year"] == 0:
        raise _OutOfRange("year")


def _month(reading: _Reading) -> None:
    reading.number["month"] = int(reading.digits(2))
    if not 1 <= reading.number["month"] <= 12:
        raise _OutOfRange("month")


def _day(reading: _Reading) -> None:
    reading.number["day"] = int(reading.digits(2))


def _hour(reading: _Reading) -> None:
    two_digits = len(reading.rest) > 1 and reading.rest[1] in _DIGITS
    reading.number["hour"] = int(reading.digits(2 if two_digits else 1))
    if reading.number["hour"] >= 24:
        raise _OutOfRange("hour")


def _minute(reading: _Reading) -> None:
    reading.number["minute"] = int(reading.digits(2))
    if reading.number["minute"] >= 60:
        raise _OutOfRange("minute")


def _second(reading: _Reading) -> None:
    reading.number["second"] = int(reading.digits(2))
    if reading.number["second"] >= 60:
        raise _OutOfRange("second")


def _second_with_fraction(reading: _Reading) -> None:
    _second(reading)
    if len(reading.rest) > 1 and reading.rest[0] in ".," and reading.rest[1] in _DIGITS:
        reading.take(1)
        size = len(reading.rest) - len(reading.rest.lstrip("0123456789"))
        reading.fraction = reading.take(size)[:_NANOSECOND_DIGITS]


def _micros(reading: _Reading) -> None:
    if len(reading.rest) < 7 or reading.rest[0] not in ".,":
        raise _Misfit
    reading.take(1)
    reading.fraction = reading.digits(6)


def _zone(reading: _Reading) -> None:
    if reading.rest.startswith("Z"):
        reading.take(1)
        return
    if len(reading.rest) < 6 or reading.rest[3] != ":":
        raise _Misfit
    sign, hours, _, minutes = reading.take(1), reading.digits(2), reading.take(1), reading.digits(2)
    if int(hours) > 24:
        raise _OutOfRange("time zone offset hour")
    if int(minutes) > 60:
        raise _OutOfRange("time zone offset minute")
    if sign not in "+-":
        raise _Misfit
    reading.offset_minutes = (int(hours) * 60 + int(minutes)) * (-1 if sign == "-" else 1)


def _skip(text: str) -> Callable[[_Reading], None]:
    return lambda reading: reading.skip(text)


_SKIPS: Final = {text: _skip(text) for text in "-T:"}
_DATE_AND_MINUTE: Final = (
    ("2006", _year),
    ("-", _SKIPS["-"]),
    ("01", _month),
    ("-", _SKIPS["-"]),
    ("02", _day),
    ("T", _SKIPS["T"]),
    ("15", _hour),
    (":", _SKIPS[":"]),
    ("04", _minute),
    (":", _SKIPS[":"]),
)
_ELEMENTS: Final = (*_DATE_AND_MINUTE, ("05", _second_with_fraction), ("Z07:00", _zone))
_MICRO_ELEMENTS: Final = (*_DATE_AND_MINUTE, ("05", _second), (".000000", _micros), ("Z07:00", _zone))


class Time(str):
    """A metav1.Time as text, such as ``2026-01-02T03:04:05Z``."""

    __slots__ = ()
    layout: ClassVar[str] = "2006-01-02T15:04:05Z07:00"
    _written: ClassVar[re.Pattern[str]] = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)

    @classmethod
    def parse(cls, value: object) -> Self:
        """Parse a time that a client sent, and convert it to UTC.

        Raises ValueError with Kubernetes' message if the text is not a time.
        """
        if type(value) is cls:
            return value
        if not isinstance(value, str):
            raise ValueError(f"a {cls.__name__} must be a string")
        if cls._written.fullmatch(value):
            try:
                datetime.fromisoformat(value)
            except ValueError:
                return cls.at(cls._read(value))
            return cls(value)
        return cls.at(cls._read(value))

    @classmethod
    def parse_unless_zero(cls, value: object) -> Self | None:
        """Parse a time as `parse` does, but return None for the zero time, which Kubernetes writes as null."""
        return _unless_zero(cls, value) if type(value) is str else _nonzero(cls.parse(value))

    @classmethod
    def at(cls, instant: datetime) -> Self:
        """Create a Time or MicroTime from a datetime."""
        in_utc = instant if instant.tzinfo is UTC else instant.astimezone(UTC)
        return cls(f"{in_utc.isoformat(timespec='seconds')[:-6]}Z")

    @property
    def instant(self) -> datetime:
        """This time as a timezone-aware datetime in UTC."""
        return datetime.fromisoformat(self)

    @classmethod
    def _read(cls, value: str) -> datetime:
        return parse_go_time(value, cls.layout, micro=False)


def _nonzero(time: T) -> T | None:
    return None if time.startswith(_ZERO) else time


@lru_cache(maxsize=1024)
def _unless_zero(kind: type[T], text: str) -> T | None:
    """Parse a text as ``Time.parse_unless_zero`` does. Most times of stored objects occur in several objects."""
    return _nonzero(kind.parse(text))


class MicroTime(Time):
    """A metav1.MicroTime as text, such as ``2026-01-02T03:04:05.000006Z``."""

    __slots__ = ()
    layout = "2006-01-02T15:04:05.000000Z07:00"
    _written = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)

    @classmethod
    def at(cls, instant: datetime) -> Self:
        return cls(instant.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"))

    @classmethod
    def _read(cls, value: str) -> datetime:
        return parse_go_time(value, cls.layout, micro=True)
