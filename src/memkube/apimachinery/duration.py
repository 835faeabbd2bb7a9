"""Durations as tables and messages show them to people (apimachinery's ``util/duration``)."""

from datetime import datetime, timedelta
from typing import Final

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_YEAR: Final = 365 * _DAY
_LONGEST: Final = 2**63 // 10**9
"""The reference counts nanoseconds in 64 bits."""


def human_duration(seconds: float) -> str:
    """Two or three significant figures: ``90s``, ``3m20s``, ``5h``, ``2d3h``; ``<invalid>`` for the future."""
    whole = min(int(seconds), _LONGEST)
    if whole < 0:
        return "0s" if whole == -1 else "<invalid>"
    if whole < 2 * _MINUTE:
        return f"{whole}s"
    if whole < 10 * _MINUTE:
        return _two_parts(whole // _MINUTE, "m", whole % _MINUTE, "s")
    if whole < 3 * _HOUR:
        return f"{whole // _MINUTE}m"
    if whole < 8 * _HOUR:
        return _two_parts(whole // _HOUR, "h", whole % _HOUR // _MINUTE, "m")
    if whole < 2 * _DAY:
        return f"{whole // _HOUR}h"
    if whole < 8 * _DAY:
        return _two_parts(whole // _DAY, "d", whole % _DAY // _HOUR, "h")
    if whole < 2 * _YEAR:
        return f"{whole // _DAY}d"
    if whole < 8 * _YEAR:
        return _two_parts(whole // _YEAR, "y", whole % _YEAR // _DAY, "d")
    return f"{whole // _YEAR}y"


def human_age(written: str | None, now: datetime) -> str:
    """How long ago a Time or MicroTime was; ``<unknown>`` where an object has none."""
    if not written:
        return "<unknown>"
    return human_duration((now - datetime.fromisoformat(written)).total_seconds())


def _two_parts(large: int, unit: str, small: int, small_unit: str) -> str:
    return f"{large}{unit}{small}{small_unit}" if small else f"{large}{unit}"


def go_duration(length: timedelta) -> str:
    """A duration as Go writes it, to the millisecond: ``0s``, ``1.5s``, ``1m20s``, ``350ms``."""
    milliseconds = length // timedelta(milliseconds=1)
    if 0 < milliseconds < 1000:
        return f"{milliseconds}ms"
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{rest / 1000:.3f}".rstrip("0").rstrip(".") + "s"
    if hours:
        return f"{hours}h{minutes}m{seconds}"
    return f"{minutes}m{seconds}" if minutes else seconds
