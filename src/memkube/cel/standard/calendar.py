"""Calendar dates and times of timestamps, including years that Python's datetime does not support (Go's ``time``)."""

import re
from datetime import date
from typing import Final

from memkube.cel.values import NANOSECONDS, Timestamp

_DAY: Final = 86_400
_EPOCH: Final = date(1970, 1, 1).toordinal()
_CYCLE_YEARS: Final = 400
_CYCLE_DAYS: Final = 146_097
_rfc3339: Final = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))", re.ASCII
).fullmatch


def local_seconds(moment: Timestamp) -> int:
    """Return the seconds from 1970 to the local time of a timestamp, in its own UTC offset."""
    return moment.nanoseconds // NANOSECONDS + moment.offset_seconds


def _date(moment: Timestamp) -> tuple[int, date]:
    """Return a number of years and a date: the date of the timestamp is this number of years after the returned date.

    Python does not support all dates, so a timestamp is moved by a multiple of 400 years if necessary: the calendar
    repeats every 400 years. The number is 0 for most timestamps.
    """
    days = local_seconds(moment) // _DAY + _EPOCH
    cycles = 0 if _CYCLE_DAYS < days < 20 * _CYCLE_DAYS else (days - 1) // _CYCLE_DAYS - 1
    return cycles * _CYCLE_YEARS, date.fromordinal(days - cycles * _CYCLE_DAYS)


def civil(moment: Timestamp) -> tuple[int, int, int]:
    """Return the year, month and day of a timestamp in its own UTC offset; month and day are counted from 1."""
    years, found = _date(moment)
    return found.year + years, found.month, found.day


def day_of_year(moment: Timestamp) -> int:
    """Return the day of the year, counted from 1."""
    return _date(moment)[1].timetuple().tm_yday


def day_of_week(moment: Timestamp) -> int:
    """Return the day of the week, counted from 0 (Sunday)."""
    return (local_seconds(moment) // _DAY + 4) % 7


def clock(moment: Timestamp) -> str:
    """Format the local time of a timestamp as ``15:04:05``, with a fraction of a second if it has one."""
    seconds = local_seconds(moment) % _DAY
    part = moment.nanoseconds % NANOSECONDS
    fraction = f".{part:09d}".rstrip("0") if part else ""
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"


def format_offset(moment: Timestamp, colon: str) -> str:
    """Format the UTC offset of a timestamp as ``+hh`` and ``mm``, with the text `colon` between them."""
    hours, minutes = divmod(abs(moment.offset_seconds) // 60, 60)
    return f"{'-' if moment.offset_seconds < 0 else '+'}{hours:02d}{colon}{minutes:02d}"


def rfc3339(moment: Timestamp) -> str:
    """Format a timestamp by RFC 3339 in its own UTC offset."""
    year, month, day = civil(moment)
    zone = format_offset(moment, ":") if moment.offset_seconds else "Z"
    return f"{year:04d}-{month:02d}-{day:02d}T{clock(moment)}{zone}"


def parse_rfc3339(text: str) -> Timestamp | None:
    """Parse an RFC 3339 timestamp as Go's ``time.Parse`` does; None if it is malformed."""
    found = _rfc3339(text)
    if found is None:
        return None
    year, month, day, hours, minutes, seconds = (int(found[part]) for part in range(1, 7))
    east = int(found[9] or 0), int(found[10] or 0)
    if hours > 23 or minutes > 59 or seconds > 59 or east[0] > 24 or east[1] > 59:
        return None
    try:
        # Python has no year 0. The calendar repeats every 400 years: compute with year 400, then subtract 400 years.
        days = date(year or _CYCLE_YEARS, month, day).toordinal() - _EPOCH - (0 if year else _CYCLE_DAYS)
    except ValueError:
        return None
    offset = (east[0] * 60 + east[1]) * 60 * (-1 if found[8] == "-" else 1)
    part = int((found[7] or "")[:9].ljust(9, "0"))
    return Timestamp(((days * _DAY) + hours * 3600 + minutes * 60 + seconds - offset) * NANOSECONDS + part, offset)
