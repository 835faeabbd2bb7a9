"""Parsing and formatting of durations (Go's ``time.ParseDuration`` and cel-go's ``common/types/duration.go``)."""

import re
from typing import Final

from memkube.apimachinery.go_doubles import format_double_in_full
from memkube.cel.values import MAX_INT, MIN_INT, NANOSECONDS, Duration

_UNITS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": NANOSECONDS,
    "m": 60 * NANOSECONDS,
    "h": 3600 * NANOSECONDS,
}
_part: Final = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_whole: Final = re.compile(rf"([-+]?)(?:0|((?:{_part.pattern})+))", re.ASCII).fullmatch


def parse_duration(text: str) -> Duration | None:
    """Parse a Go duration such as ``1h30m``; None if it is invalid or does not fit into 64 bits."""
    found = _whole(text)
    if found is None:
        return None
    total = sum(_nanoseconds(number, unit) for number, unit in _part.findall(found[2] or ""))
    if found[1] == "-":
        total = -total
    return Duration(total) if MIN_INT <= total <= MAX_INT else None


def _nanoseconds(number: str, unit: str) -> int:
    whole, _, fraction = number.partition(".")
    scale: int = 10 ** len(fraction)
    return int(whole or 0) * _UNITS[unit] + int(fraction or 0) * _UNITS[unit] // scale


def seconds_of(duration: Duration) -> float:
    """Return a duration in seconds, as the nearest double."""
    sign = -1 if duration.nanoseconds < 0 else 1
    seconds, rest = divmod(abs(duration.nanoseconds), NANOSECONDS)
    return float(sign * seconds) + float(sign * rest) / 1e9


def in_seconds(duration: Duration) -> str:
    """Format a duration in seconds, as CEL does: ``3600s``."""
    return f"{format_double_in_full(seconds_of(duration))}s"
