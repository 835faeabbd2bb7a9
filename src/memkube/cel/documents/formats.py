"""Durations, times and bytes in the string formats of OpenAPI (kube-openapi ``validation/strfmt``)."""

import re
from typing import Final

from memkube.apimachinery.base64 import decode_base64
from memkube.cel.standard.calendar import parse_rfc3339
from memkube.cel.standard.durations import parse_duration as parse_go_duration
from memkube.cel.values import MIN_INT, NANOSECONDS, Duration, Timestamp

_HOUR: Final = 3600 * NANOSECONDS
_UNITS: Final = (
    (("ns", "nano"), 1),
    (("us", "µs", "micro"), 1_000),
    (("ms", "milli"), 1_000_000),
    (("s", "sec"), NANOSECONDS),
    (("m", "min"), 60 * NANOSECONDS),
    (("h", "hr", "hour"), _HOUR),
    (("d", "day"), 24 * _HOUR),
    (("w", "wk", "week"), 7 * 24 * _HOUR),
)
_amounts: Final = re.compile(r"(\d+)\s*([A-Za-zµ]+)", re.ASCII).findall
_LOCAL: Final = "2006-01-02T15:04:05"
_TO_STANDARD: Final = str.maketrans("-_+/", "+/!!")


def parse_duration(text: str) -> Duration:
    """Parse a duration in Go's syntax, or in words such as ``2 days``. Raises ValueError if it is invalid."""
    found = parse_go_duration(text)
    if found is not None:
        return found
    lengths = [
        int(amount) * length
        for amount, unit in _amounts(text)
        for variants, length in _UNITS
        if unit.lower() in variants or unit.lower().startswith(variants[-1])
    ]
    if not lengths:
        raise ValueError(f"unable to parse {text} as duration")
    # As in Go, the sum of the parts of a duration wraps around at 64 bits.
    return Duration((sum(lengths) - MIN_INT) % 2**64 + MIN_INT)


def parse_date_time(text: str) -> Timestamp:
    """Parse a date-time. The default zone is UTC, an empty string is 1970-01-01. Raises ValueError if invalid."""
    if not text:
        return Timestamp(0)
    found = parse_rfc3339(text) or parse_rfc3339(f"{text}Z")
    if found is None:
        raise ValueError(f'parsing time "{text}" as "{_LOCAL}": cannot parse "{text}" as "2006"')
    return found


def decode_bytes(text: str) -> bytes:
    """Decode base64 in its standard or URL alphabet. Raises ValueError with Go's message if it is malformed."""
    return decode_base64(text.translate(_TO_STANDARD))
