"""Layouts of Go's package ``time``, such as ``2006-01-02 15:04:05``, with which times are written and read."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from memkube.controllers.stages.languages.template_values import GoTime

_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_HALF: Final = 12
_BASE: Final = 100
_ELEMENT: Final = re.compile(
    r"January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|__2|_2(?!006)|002|01|02|03|04|05|06|15|PM|pm"
    r"|-07:00:00|-07:00|-070000|-0700|-07|Z07:00:00|Z07:00|Z070000|Z0700|Z07|[.,](?:0+|9+)(?![0-9])|1|2|3|4|5"
)
"""The elements of a layout, where a longer one precedes those with which it begins."""


def formatted(time: GoTime, local: datetime, layout: str) -> str:
    """Write a time by a layout. `local` is the time in the zone in which it is written, without nanoseconds."""
    fraction = time.nanoseconds % 10**9

    def element(found: re.Match[str]) -> str:
        text = found[0]
        if text[0] in ".,":
            digits = f"{fraction:09}"[: len(text) - 1]
            kept = digits.rstrip("0") if text[1] == "9" else digits
            return text[0] + kept if kept else ""
        if text in _WRITERS:
            return _WRITERS[text](local)
        return _offset(local, text)

    return _ELEMENT.sub(element, layout)


def _offset(local: datetime, element: str) -> str:
    """Return the UTC offset of a time in the form of a layout's element, such as ``-07:00`` or ``Z0700``."""
    offset = local.utcoffset() or timedelta()
    if element[0] == "Z" and not offset:
        return "Z"
    seconds = int(abs(offset.total_seconds()))
    parts = [f"{seconds // 3600:02}", f"{seconds // 60 % 60:02}", f"{seconds % 60:02}"]
    count = len(re.sub("[^0-9]", "", element)) // 2
    return ("-" if offset < timedelta() else "+") + (":" if ":" in element else "").join(parts[:count])


_WRITERS: Final[Mapping[str, Callable[[datetime], str]]] = {
    "2006": lambda time: f"{time.year:04}",
    "06": lambda time: f"{time.year % _BASE:02}",
    "January": lambda time: _MONTHS[time.month - 1],
    "Jan": lambda time: _MONTHS[time.month - 1][:3],
    "01": lambda time: f"{time.month:02}",
    "1": lambda time: str(time.month),
    "Monday": lambda time: _DAYS[time.weekday()],
    "Mon": lambda time: _DAYS[time.weekday()][:3],
    "02": lambda time: f"{time.day:02}",
    "_2": lambda time: f"{time.day:2}",
    "2": lambda time: str(time.day),
    "002": lambda time: f"{time.timetuple().tm_yday:03}",
    "__2": lambda time: f"{time.timetuple().tm_yday:3}",
    "15": lambda time: f"{time.hour:02}",
    "03": lambda time: f"{time.hour % _HALF or _HALF:02}",
    "3": lambda time: str(time.hour % _HALF or _HALF),
    "04": lambda time: f"{time.minute:02}",
    "4": lambda time: str(time.minute),
    "05": lambda time: f"{time.second:02}",
    "5": lambda time: str(time.second),
    "PM": lambda time: "PM" if time.hour >= _HALF else "AM",
    "pm": lambda time: "pm" if time.hour >= _HALF else "am",
    "MST": lambda time: time.tzname() or "UTC",
}
