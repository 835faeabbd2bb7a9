"""Functions that return parts of timestamps and durations (cel-go's ``common/stdlib/standard.go``)."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from memkube.cel.declarations import Function, Implementations
from memkube.cel.errors import EvaluationError
from memkube.cel.standard.calendar import civil, day_of_week, day_of_year, local_seconds
from memkube.cel.values import NANOSECONDS, Duration, Timestamp

_atoi: Final = re.compile(r"[+-]?\d+", re.ASCII).fullmatch
_FIRST: Final = -62_135_596_800 + 86_400
_LAST: Final = 253_402_300_799 - 86_400


def _number(text: str) -> int:
    if _atoi(text) is None:
        raise EvaluationError(f'strconv.Atoi: parsing "{text}": invalid syntax')
    return int(text)


def _offset(moment: Timestamp, zone: str) -> int:
    """Return the seconds by which a time zone differs from UTC at a given time.

    Raises EvaluationError if the zone is unknown.
    """
    hours, colon, minutes = zone.partition(":")
    if colon:
        whole = _number(hours) * 60
        part = _number(minutes)
        return (whole - part if zone.startswith("-") else whole + part) * 60
    if zone in ("", "UTC", "Local"):
        return 0
    if zone.startswith(("/", "\\")) or ".." in zone:
        raise EvaluationError("time: invalid location name")
    try:
        found = ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        raise EvaluationError(f"unknown time zone {zone}") from None
    seconds = min(max(moment.nanoseconds // NANOSECONDS, _FIRST), _LAST)
    offset = found.utcoffset(datetime.fromtimestamp(seconds, UTC).astimezone(found))
    return 0 if offset is None else int(offset.total_seconds())


def _of_moments(part: Callable[[Timestamp], int]) -> Mapping[str, Function]:
    def in_utc(moment: Timestamp) -> int:
        return part(Timestamp(moment.nanoseconds))

    def in_zone(moment: Timestamp, zone: str) -> int:
        return part(Timestamp(moment.nanoseconds, _offset(moment, zone)))

    return {"timestamp.(): int": in_utc, "timestamp.(string): int": in_zone}


def _whole(duration: Duration, unit: int) -> int:
    count = abs(duration.nanoseconds) // unit
    return -count if duration.nanoseconds < 0 else count


def _of_durations(unit: int) -> Mapping[str, Function]:
    return {"duration.(): int": lambda duration: _whole(duration, unit)}


TIMES: Final[Implementations] = {
    "getFullYear": _of_moments(lambda moment: civil(moment)[0]),
    "getMonth": _of_moments(lambda moment: civil(moment)[1] - 1),
    "getDayOfYear": _of_moments(lambda moment: day_of_year(moment) - 1),
    "getDayOfMonth": _of_moments(lambda moment: civil(moment)[2] - 1),
    "getDate": _of_moments(lambda moment: civil(moment)[2]),
    "getDayOfWeek": _of_moments(day_of_week),
    "getHours": {
        **_of_moments(lambda moment: local_seconds(moment) // 3600 % 24),
        **_of_durations(3600 * NANOSECONDS),
    },
    "getMinutes": {
        **_of_moments(lambda moment: local_seconds(moment) // 60 % 60),
        **_of_durations(60 * NANOSECONDS),
    },
    "getSeconds": {**_of_moments(lambda moment: local_seconds(moment) % 60), **_of_durations(NANOSECONDS)},
    "getMilliseconds": {
        **_of_moments(lambda moment: moment.nanoseconds % NANOSECONDS // 1_000_000),
        **_of_durations(1_000_000),
    },
}
