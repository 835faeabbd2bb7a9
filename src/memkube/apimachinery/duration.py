"""Durations as printed in tables and messages (apimachinery's ``util/duration``), and Go's duration syntax."""

import re
from datetime import datetime, timedelta
from typing import Final

from memkube.apimachinery.shown_values import quoted_as_time

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_YEAR: Final = 365 * _DAY
_LONGEST: Final = 2**63 // 10**9
"""Largest duration in seconds that fits into Go's 64-bit number of nanoseconds."""
_duration_piece = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^.0-9]*)").match
_NANOSECONDS: Final = {
    "ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9,
}  # fmt: skip


def human_duration(seconds: float) -> str:
    """Format a duration with one or two units: ``90s``, ``3m20s``, ``5h``, ``2d3h``; ``<invalid>`` if negative."""
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
    """Format the time elapsed since a Time or MicroTime; ``<unknown>`` if the time is missing."""
    if not written:
        return "<unknown>"
    return human_duration((now - datetime.fromisoformat(written)).total_seconds())


def _two_parts(large: int, unit: str, small: int, small_unit: str) -> str:
    return f"{large}{unit}{small}{small_unit}" if small else f"{large}{unit}"


def go_duration(length: timedelta) -> str:
    """Format a duration, cut to milliseconds, as Go does: ``0s``, ``1.5s``, ``1m20s``, ``350ms``."""
    milliseconds = length // timedelta(milliseconds=1)
    if 0 < milliseconds < 1000:
        return f"{milliseconds}ms"
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{rest / 1000:.3f}".rstrip("0").rstrip(".") + "s"
    if hours:
        return f"{hours}h{minutes}m{seconds}"
    return f"{minutes}m{seconds}" if minutes else seconds


def parse_duration(text: str) -> float:
    """Parse a Go duration such as ``1m30s`` into seconds (``time.ParseDuration``).

    Raises ValueError with Go's message if the text is not a duration.
    """
    sign, rest = (text[0], text[1:]) if text[:1] in ("-", "+") else ("", text)
    if rest == "0":
        return 0.0
    if not rest:
        raise ValueError(f"invalid duration {quoted_as_time(text)}")
    seconds = 0.0
    while rest:
        piece = _duration_piece(rest)
        if piece is None or not (piece[1] or piece[2]):
            raise ValueError(f"invalid duration {quoted_as_time(text)}")
        if not piece[3]:
            raise ValueError(f"missing unit in duration {quoted_as_time(text)}")
        if piece[3] not in _NANOSECONDS:
            raise ValueError(f"unknown unit {quoted_as_time(piece[3])} in duration {quoted_as_time(text)}")
        unit = _NANOSECONDS[piece[3]]
        if int(piece[1] or 0) > 2**63 // unit:
            raise ValueError(f"invalid duration {quoted_as_time(text)}")
        seconds += float(f"{piece[1] or 0}.{piece[2] or 0}") * unit / 10**9
        rest = rest[piece.end() :]
    return -seconds if sign == "-" else seconds
