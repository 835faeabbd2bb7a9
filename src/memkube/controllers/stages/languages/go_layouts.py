"""Layouts of Go's package ``time``, such as ``2006-01-02 15:04:05``, with which times are formatted and parsed."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from memkube.controllers.stages.languages.template_values import GoTime

_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NOON: Final = 12
_CENTURY: Final = 100
_FIRST_SHORT_YEAR: Final = 69
"""Smallest two-digit year that means a year of the 20th century: 69 is 1969, and 68 is 2068."""
_ELEMENT: Final = re.compile(
    r"January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|__2|_2(?!006)|002|01|02|03|04|05|06|15|PM|pm"
    r"|-07:00:00|-07:00|-070000|-0700|-07|Z07:00:00|Z07:00|Z070000|Z0700|Z07|[.,](?:0+|9+)(?![0-9])|1|2|3|4|5"
)
"""Pattern of a layout element. Longer elements come before elements that are their prefix, so that they match first."""


def formatted(time: GoTime, local: datetime, layout: str) -> str:
    """Format a time with a layout. `local` is the same time in the time zone to use, without a fraction of a second."""
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
    "06": lambda time: f"{time.year % _CENTURY:02}",
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
    "03": lambda time: f"{time.hour % _NOON or _NOON:02}",
    "3": lambda time: str(time.hour % _NOON or _NOON),
    "04": lambda time: f"{time.minute:02}",
    "4": lambda time: str(time.minute),
    "05": lambda time: f"{time.second:02}",
    "5": lambda time: str(time.second),
    "PM": lambda time: "PM" if time.hour >= _NOON else "AM",
    "pm": lambda time: "pm" if time.hour >= _NOON else "am",
    "MST": lambda time: time.tzname() or "UTC",
}


class _Reader(NamedTuple):
    """Pattern that parses the text of one layout element."""

    pattern: str
    name: str
    """Name of the part of a time that the element contains, such as ``hour``; empty if the part is ignored."""


def _any_case(names: Iterable[str]) -> str:
    return f"(?i:{'|'.join(names)})"


_MONTH_NAMES: Final = {name[:length].lower(): index + 1 for index, name in enumerate(_MONTHS) for length in (3, 9)}
_TWO: Final = r"\d\d"
_ONE_OR_TWO: Final = r"\d\d?"
_READERS: Final[Mapping[str, _Reader]] = {
    "2006": _Reader(r"\d{4}", "year"),
    "06": _Reader(_TWO, "short_year"),
    "January": _Reader(_any_case(_MONTHS), "month_name"),
    "Jan": _Reader(_any_case(name[:3] for name in _MONTHS), "month_name"),
    "01": _Reader(_TWO, "month"),
    "1": _Reader(_ONE_OR_TWO, "month"),
    "Monday": _Reader(_any_case(_DAYS), ""),
    "Mon": _Reader(_any_case(name[:3] for name in _DAYS), ""),
    "02": _Reader(_TWO, "day"),
    "_2": _Reader(rf" ?{_ONE_OR_TWO}", "day"),
    "2": _Reader(_ONE_OR_TWO, "day"),
    "15": _Reader(_ONE_OR_TWO, "hour"),
    "03": _Reader(_TWO, "clock_hour"),
    "3": _Reader(_ONE_OR_TWO, "clock_hour"),
    "04": _Reader(_TWO, "minute"),
    "4": _Reader(_ONE_OR_TWO, "minute"),
    "05": _Reader(_TWO, "second"),
    "5": _Reader(_ONE_OR_TWO, "second"),
    "PM": _Reader("AM|PM", "am_or_pm"),
    "pm": _Reader("am|pm", "am_or_pm"),
    "MST": _Reader("[A-Z]{3,4}", "zone"),
}


class LayoutError(ValueError):
    """Raised if a text does not match a layout, or is not a valid time."""


class LayoutUnreadable(LayoutError):
    """Raised if a layout cannot be used for parsing, because it has no year, or has a day of the year."""


def parsed(text: str, layout: str) -> GoTime:
    """Parse a time with a layout. The time is in UTC if the text has no time zone.

    Raises LayoutError if the text does not match the layout or is not a valid time, and LayoutUnreadable if the layout
    has no year, or has a day of the year.
    """
    if "2006" not in _ELEMENT.findall(layout) and "06" not in _ELEMENT.findall(layout):
        raise LayoutUnreadable("times cannot be parsed with a layout without a year")
    pattern, names = _pattern(layout)
    found = re.fullmatch(pattern, text, re.ASCII)
    if found is None:
        raise LayoutError(f'parsing time "{text}" as "{layout}": cannot parse "{text}" as "{layout}"')
    parts = {name: value for name, value in zip(names, found.groups(), strict=True) if name and value is not None}
    return _time(text, parts)


def _pattern(layout: str) -> tuple[str, list[str]]:
    """Return a regular expression that parses times in a layout, and the names of the time parts in its groups."""
    pieces, names, last, has_fraction = [], [], 0, False
    for found in _ELEMENT.finditer(layout):
        element = found[0]
        pieces.append(_literal(layout[last : found.start()]))
        last = found.end()
        following = _ELEMENT.match(layout, last)
        if element[0] in ".,":
            pattern, name = (rf"[.,](\d{{{len(element) - 1}}})" if element[1] == "0" else r"(?:[.,](\d+))?"), "fraction"
            has_fraction = True
        elif element[0] in "-Z":
            pattern, name = _zone_pattern(element), "offset"
        elif element in _READERS:
            reader = _READERS[element]
            pattern, name = f"({reader.pattern})", reader.name
        else:
            raise LayoutUnreadable(f"times cannot be parsed with the element {element} of a layout")
        pieces.append(pattern)
        names.append(name)
        if element in ("05", "5") and not has_fraction and (following is None or following[0][0] not in ".,"):
            # Go accepts a fraction of a second after the seconds, even if the layout has none.
            pieces.append(r"(?:[.,](\d+))?")
            names.append("fraction")
    return "".join([*pieces, _literal(layout[last:])]), names


def _literal(text: str) -> str:
    return re.sub(r"(?:\\ )+", " *", re.escape(text))


def _zone_pattern(element: str) -> str:
    digits = len(re.sub("[^0-9]", "", element)) // 2
    colon = ":" if ":" in element else ""
    numbers = colon.join([_TWO] * digits)
    return f"(Z|[+-]{numbers})" if element[0] == "Z" else f"([+-]{numbers})"


def _time(text: str, parts: Mapping[str, str]) -> GoTime:
    """Return the time that consists of `parts`, which were parsed from `text`, by name.

    Raises LayoutError if a part is out of range.
    """
    number = {name: int(value) for name, value in parts.items() if value.strip().isdigit()}
    year = number.get("year", number.get("short_year", 0))
    if "short_year" in number:
        year += 1900 if year >= _FIRST_SHORT_YEAR else 2000
    month = _MONTH_NAMES[parts["month_name"].lower()] if "month_name" in parts else number.get("month", 1)
    hour = number.get("hour", number.get("clock_hour", 0))
    if number.get("clock_hour", 0) > _NOON:
        raise LayoutError(f'parsing time "{text}": hour out of range')
    half = parts.get("am_or_pm", "").upper()
    if half == "PM" and hour < _NOON:
        hour += _NOON
    elif half == "AM" and hour == _NOON:
        hour = 0
    try:
        day = date(year, month, number.get("day", 1)).toordinal() - date(1970, 1, 1).toordinal()
        clock = datetime(1970, 1, 1, hour, number.get("minute", 0), number.get("second", 0), tzinfo=UTC)
    except ValueError:
        raise LayoutError(f'parsing time "{text}": out of range') from None
    offset, zone = _read_offset(parts)
    seconds = day * 24 * 3600 + int(clock.timestamp()) - offset
    fraction = int(parts.get("fraction", "0")[:9].ljust(9, "0"))
    return GoTime(seconds * 10**9 + fraction, offset, zone)


def _read_offset(parts: Mapping[str, str]) -> tuple[int, str]:
    """Return the UTC offset in seconds and the name of the time zone in the parsed `parts` of a time."""
    written = parts.get("offset", "Z")
    zone = parts.get("zone", "")
    if written == "Z":
        return 0, zone or "UTC"
    digits = written[1:].replace(":", "")
    amounts = [int(digits[index : index + 2]) for index in range(0, len(digits), 2)]
    seconds = sum(amount * unit for amount, unit in zip(amounts, (3600, 60, 1), strict=False))
    offset = -seconds if written[0] == "-" else seconds
    return offset, zone if offset or zone else "UTC"
