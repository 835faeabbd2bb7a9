"""Cron schedules and time zones: validation, and the times at which a schedule is due.

kube-apiserver and the CronJob controller use ``ParseStandard`` of ``github.com/robfig/cron`` 3. No Python library
accepts the same schedules, has the same error messages and finds the same times around clock changes, so the grammar
is implemented here. Time zones are the exact names of the IANA database (Go's ``time.LoadLocation``).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from memkube.apimachinery.duration import parse_duration
from memkube.apimachinery.shown_values import quoted

_EVERY: Final = "@every "
_DESCRIPTORS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHS: Final = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS: Final = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_LARGEST: Final = 2**63
_ZONE_PART: Final = re.compile(r"[A-Za-z.\-_0-9+]{1,14}", re.ASCII)
_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)
_SECOND: Final = timedelta(seconds=1)
_SEARCHED_YEARS: Final = 5
"""Number of years after which a schedule counts as never due."""


@dataclass(frozen=True, slots=True)
class _Bounds:
    lowest: int
    highest: int
    names: Mapping[str, int] = field(default_factory=dict)


_FIELDS: Final = (
    _Bounds(0, 59),
    _Bounds(0, 23),
    _Bounds(1, 31),
    _Bounds(1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    _Bounds(0, 6, {name: number for number, name in enumerate(_DAYS)}),
)


class Schedule(Protocol):
    """A parsed cron schedule, which yields the times at which a CronJob is due."""

    def after(self, instant: datetime) -> datetime | None:
        """Return the first due time after `instant`, in UTC; None if there is none within five years.

        Raises OverflowError if that time is after the year 9999.
        """


def parse_schedule(schedule: str) -> Schedule:
    """Parse a cron schedule. Raises ValueError with kube-apiserver's message if it is invalid."""
    zone: tzinfo = UTC
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        zone, schedule = _zone_and_rest(schedule)
    if schedule.startswith("@"):
        if schedule not in _DESCRIPTORS:
            return _interval(schedule)
        schedule = _DESCRIPTORS[schedule]
    fields = schedule.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"expected exactly {len(_FIELDS)} fields, found {len(fields)}: [{' '.join(fields)}]")
    minutes, hours, days, months, weekdays = map(_field, fields, _FIELDS)
    return _Calendar(minutes, hours, days, months, weekdays, zone)


def time_zone(name: str) -> tzinfo:
    """Return the time zone with a name such as ``Europe/Berlin``. The names ``Local`` and "" mean UTC.

    Raises ValueError with kube-apiserver's message if the name is unknown.
    """
    if name in ("", "UTC", "Local"):
        return UTC
    if ".." in name or name[0] in "/\\":
        raise ValueError("time: invalid location name")
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"unknown time zone {name}") from None


def is_zone_name(name: str) -> bool:
    """True if the name is well-formed for the IANA database (https://data.iana.org/time-zones/theory.html#naming)."""
    parts = name.split("/")
    return all(_ZONE_PART.fullmatch(part) and part not in (".", "..") and part[0] != "-" for part in parts)


@dataclass(frozen=True, slots=True)
class _Interval:
    """A schedule of the form ``@every DURATION`` (``ConstantDelaySchedule``)."""

    length: timedelta
    """Seconds between two due times: a whole number, at least one."""

    def after(self, instant: datetime) -> datetime | None:
        return instant.replace(microsecond=0) + self.length


@dataclass(frozen=True, slots=True)
class _Field:
    """The values that one field of a cron schedule, such as the hour, allows."""

    values: frozenset[int]
    is_star: bool
    """True if the field contains ``*``, ``?`` or one of these with the step 1 (``*/1``)."""


@dataclass(frozen=True, slots=True)
class _Calendar:
    """A schedule with the five fields minute, hour, day of month, month and day of week (``SpecSchedule``)."""

    minutes: _Field
    hours: _Field
    days: _Field
    months: _Field
    weekdays: _Field
    zone: tzinfo

    def after(self, instant: datetime) -> datetime | None:
        if not (self.minutes.values and self.hours.values):
            return None
        search = _Search(self, instant)
        last_year = search.local.year + _SEARCHED_YEARS
        while search.local.year <= last_year:
            if search.find_month() and search.find_day() and search.find_hour() and search.find_minute():
                return search.now
        return None

    def has_day(self, local: datetime) -> bool:
        """True if the schedule is due on the day of `local`, by its fields day of month and day of week.

        If one of the two fields has a ``*``, both must match; otherwise, one of them suffices.
        """
        matches = local.day in self.days.values, local.isoweekday() % 7 in self.weekdays.values
        return all(matches) if self.days.is_star or self.weekdays.is_star else any(matches)


class _Search:
    """The search for the first due time after an instant, as ``SpecSchedule.Next`` does it.

    The search moves a candidate forward until it matches the schedule. Each ``find`` method moves it to the next time
    that matches one field of the schedule. The method returns False if this changes a larger unit, such as the year:
    the search must then begin again with the month.
    """

    def __init__(self, schedule: _Calendar, instant: datetime) -> None:
        self._schedule = schedule
        self._is_moved = False
        self.now = instant.astimezone(UTC).replace(microsecond=0) + _SECOND
        """The candidate, in UTC."""

    @property
    def local(self) -> datetime:
        """The candidate for the due time, as local time in the time zone of the schedule."""
        return self.now.astimezone(self._schedule.zone)

    def find_month(self) -> bool:
        """Move the candidate for the due time to the next month that the schedule allows.

        Return False, with the candidate in January of the next year, if no month of the year is left.
        """
        while self.local.month not in self._schedule.months.values:
            local = self.local
            start = local if self._is_moved else local.replace(day=1, hour=0, minute=0, second=0)
            next_month = (start.replace(day=1) + timedelta(days=32)).replace(day=1)
            self._move(next_month + timedelta(days=start.day - 1))
            if self.local.month == 1:
                return False
        return True

    def find_day(self) -> bool:
        """Move the candidate for the due time to the next day that the schedule allows.

        Return False, with the candidate at the first day of the next month, if no day of the month is left.
        """
        while not self._schedule.has_day(self.local):
            local = self.local
            start = local if self._is_moved else local.replace(hour=0, minute=0, second=0)
            self._move(start + timedelta(days=1))
            # If clocks changed between the two days, the next candidate is not at midnight: move it to the nearest one.
            hour = self.local.hour
            self.now += _HOUR * (24 - hour if hour > 12 else -hour)
            if self.local.day == 1:
                return False
        return True

    def find_hour(self) -> bool:
        """Move the candidate for the due time to the next hour that the schedule allows.

        Return False, with the candidate at the beginning of the next day, if no hour of the day is left.
        """
        while self.local.hour not in self._schedule.hours.values:
            if not self._is_moved:
                self._move(self.local.replace(minute=0, second=0))
            self.now += _HOUR
            if self.local.hour == 0:
                return False
        return True

    def find_minute(self) -> bool:
        """Move the candidate for the due time to the beginning of the next minute that the schedule allows.

        Return False if all fields must be matched again. This is so if the hour has ended, or if the candidate was
        inside a minute: the beginning of the next minute may not match the schedule.
        """
        while self.local.minute not in self._schedule.minutes.values:
            self._is_moved = True
            self.now = self.now.replace(second=0) + _MINUTE
            if self.local.minute == 0:
                return False
        if self.now.second:
            self._is_moved = True
            self.now = self.now.replace(second=0) + _MINUTE
            return False
        return True

    def _move(self, local: datetime) -> None:
        """Move the candidate for the due time to a local time.

        Local times that do not exist or exist twice, because clocks change, are resolved as by Go's ``time.Date``.
        """
        self._is_moved = True
        zone, now = self._schedule.zone, local.replace(tzinfo=UTC)
        offset = _offset(now, zone)
        self.now = now - (_offset(now - offset, zone) if offset else offset)


def _offset(instant: datetime, zone: tzinfo) -> timedelta:
    return instant.astimezone(zone).utcoffset() or timedelta()


def _zone_and_rest(schedule: str) -> tuple[tzinfo, str]:
    zone, space, rest = schedule.partition(" ")
    if not space:
        # kube-apiserver reports this error of Go's runtime if no space follows the time zone, as in ``TZ=UTC``.
        raise ValueError("invalid schedule format: runtime error: slice bounds out of range [:-1]")
    name = zone.partition("=")[2]
    try:
        return time_zone(name), rest.strip()
    except ValueError as error:
        raise ValueError(f"provided bad location {name}: {error}") from None


def _interval(descriptor: str) -> _Interval:
    if not descriptor.startswith(_EVERY):
        raise ValueError(f"unrecognized descriptor: {descriptor}")
    try:
        seconds = parse_duration(descriptor.removeprefix(_EVERY))
    except ValueError as error:
        raise ValueError(f"failed to parse duration {descriptor}: time: {error}") from None
    return _Interval(timedelta(seconds=max(int(seconds), 1)))


def _field(text: str, bounds: _Bounds) -> _Field:
    ranges = [_range(expression, bounds) for expression in filter(None, text.split(","))]
    return _Field(frozenset().union(*(each.values for each in ranges)), any(each.is_star for each in ranges))


def _range(expression: str, bounds: _Bounds) -> _Field:
    limits, *steps = expression.split("/")
    low, *highs = limits.split("-")
    is_star = low in ("*", "?")
    if is_star:
        start, end = bounds.lowest, bounds.highest
    else:
        start = end = _number_or_name(low, bounds.names)
        if len(highs) > 1:
            raise ValueError(f"too many hyphens: {expression}")
        if highs:
            end = _number_or_name(highs[0], bounds.names)
    if len(steps) > 1:
        raise ValueError(f"too many slashes: {expression}")
    step = _number(steps[0]) if steps else 1
    if steps and not highs:
        end = bounds.highest
    if start < bounds.lowest:
        raise ValueError(f"beginning of range ({start}) below minimum ({bounds.lowest}): {expression}")
    if end > bounds.highest:
        raise ValueError(f"end of range ({end}) above maximum ({bounds.highest}): {expression}")
    if start > end:
        raise ValueError(f"beginning of range ({start}) beyond end of range ({end}): {expression}")
    if step == 0:
        raise ValueError(f"step of range should be a positive number: {expression}")
    return _Field(frozenset(range(start, end + 1, step)), is_star and step == 1)


def _number_or_name(text: str, names: Mapping[str, int]) -> int:
    number = names.get(text.lower())
    return _number(text) if number is None else number


def _number(text: str) -> int:
    problem = "" if re.fullmatch("[+-]?[0-9]+", text, re.ASCII) else "invalid syntax"
    if not problem and not -_LARGEST <= int(text) < _LARGEST:
        problem = "value out of range"
    if problem:
        raise ValueError(f"failed to parse int from {text}: strconv.Atoi: parsing {quoted(text)}: {problem}")
    number = int(text)
    if number < 0:
        raise ValueError(f"negative number ({number}) not allowed: {text}")
    return number
