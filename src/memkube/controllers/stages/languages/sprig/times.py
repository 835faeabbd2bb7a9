"""Sprig's functions for times and durations (``date.go``). The local time zone is UTC.

Times come from ``now`` and ``toDate``, or are numbers of seconds since 1970.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo

from memkube.apimachinery.duration import go_duration
from memkube.cel.standard.durations import parse_duration
from memkube.controllers.stages.languages.go_layouts import LayoutError, LayoutUnreadable, formatted, parsed
from memkube.controllers.stages.languages.template_arguments import TemplateFunction, atoi, of_texts, taking, text_of
from memkube.controllers.stages.languages.template_values import GoTime, Int64, Number, TemplateError, kind

_NANOSECONDS: Final = 10**9
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ZERO: Final = GoTime(-62_135_596_800 * _NANOSECONDS)
_DATE: Final = "2006-01-02"
_UNITS: Final = (
    ("y", 365 * 24 * 3600),
    ("mo", 30 * 24 * 3600),
    ("d", 24 * 3600),
    ("h", 3600),
    ("m", 60),
    ("s", 1),
)


class TimeFunctions:
    """Sprig's functions for times, which read the clock of the server."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._clock_now = now

    @property
    def functions(self) -> Mapping[str, TemplateFunction]:
        """The functions, by name."""
        in_zone, modify = taking(3, self._in_zone), taking(2, _modified)
        return {
            "now": taking(0, self._now),
            "ago": taking(1, self._age),
            "date": taking(2, lambda layout, time: self._in_zone(layout, time, "Local")),
            "dateInZone": in_zone,
            "date_in_zone": in_zone,
            "htmlDate": taking(1, lambda time: self._in_zone(_DATE, time, "Local")),
            "htmlDateInZone": taking(2, lambda time, zone: self._in_zone(_DATE, time, zone)),
            "dateModify": modify,
            "date_modify": modify,
            "mustDateModify": taking(2, _must_modify),
            "must_date_modify": taking(2, _must_modify),
            "toDate": of_texts(2, _read),
            "mustToDate": of_texts(2, _must_read),
            "duration": taking(1, _duration),
            "durationRound": taking(1, self._rounded),
            "unixEpoch": taking(1, lambda time: str(_time_of(time).nanoseconds // _NANOSECONDS)),
        }

    def _now(self) -> GoTime:
        return GoTime((self._clock_now() - _EPOCH) // timedelta(microseconds=1) * 1000)

    def _time(self, value: Any) -> GoTime:
        """Convert a value to a time: a number means seconds since 1970, and any other type means the present time."""
        if isinstance(value, GoTime):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return GoTime(value * _NANOSECONDS)
        return self._now()

    def _in_zone(self, layout: Any, value: Any, zone: Any) -> str:
        form, time, place = text_of(layout), self._time(value), _zone(text_of(zone))
        try:
            local = (_EPOCH + timedelta(seconds=time.nanoseconds // _NANOSECONDS)).astimezone(place)
        except OverflowError:
            raise TemplateError("the year of the time is not in the range 1 to 9999") from None
        return formatted(time, local, form)

    def _age(self, value: Any) -> str:
        since = self._now().nanoseconds - self._time(value).nanoseconds
        seconds = (abs(since) + _NANOSECONDS // 2) // _NANOSECONDS
        return _written(seconds if since >= 0 else -seconds)

    def _rounded(self, value: Any) -> str:
        """Format a duration, or the duration since a time, in its largest unit, such as ``2d``."""
        length = 0
        if isinstance(value, str) and not isinstance(value, Number):
            length = _parsed(value) or 0
        elif isinstance(value, Int64):
            length = value
        elif isinstance(value, GoTime):
            length = self._now().nanoseconds - value.nanoseconds
        for name, seconds in _UNITS:
            if abs(length) > seconds * _NANOSECONDS:
                return f"{abs(length) // (seconds * _NANOSECONDS)}{name}"
        return "0s"


def _zone(name: str) -> tzinfo:
    """Return a time zone by name; UTC if there is no such zone."""
    if name in ("", "UTC", "Local"):
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC


def _time_of(value: Any) -> GoTime:
    if not isinstance(value, GoTime):
        raise TemplateError(f"wrong type for value; expected time.Time; got {kind(value)}")
    return value


def _must_read(layout: str, text: str) -> GoTime:
    try:
        return parsed(text, layout)
    except LayoutError as error:
        raise TemplateError(str(error)) from None


def _read(layout: str, text: str) -> GoTime:
    """Parse a time with a layout. As in Sprig, the result for a text that does not match is the start of the year 1."""
    try:
        return parsed(text, layout)
    except LayoutUnreadable as error:
        raise TemplateError(str(error)) from None
    except LayoutError:
        return _ZERO


def _parsed(text: str) -> int | None:
    found = parse_duration(text)
    return None if found is None else found.nanoseconds


def _modified(by: Any, value: Any) -> GoTime:
    time = _time_of(value)
    return time._replace(nanoseconds=time.nanoseconds + (_parsed(text_of(by)) or 0))


def _must_modify(by: Any, value: Any) -> GoTime:
    text, time = text_of(by), _time_of(value)
    length = _parsed(text)
    if length is None:
        raise TemplateError(f'time: invalid duration "{text}"')
    return time._replace(nanoseconds=time.nanoseconds + length)


def _duration(value: Any) -> str:
    """Format a number of seconds, given as a text or an ``int64``, as a duration. Other types count as 0 seconds."""
    seconds = 0
    if isinstance(value, Int64):
        seconds = value
    elif isinstance(value, str) and not isinstance(value, Number):
        seconds = atoi(value)
    return _written(seconds)


def _written(seconds: int) -> str:
    """Format a number of seconds as a duration, such as ``1m30s``. Raises TemplateError if it exceeds 64 bits."""
    try:
        length = go_duration(timedelta(seconds=abs(seconds)))
    except OverflowError:
        raise TemplateError("the duration does not fit into 64 bits") from None
    return f"-{length}" if seconds < 0 else length
