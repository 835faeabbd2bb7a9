"""Parsing of decimal integers as in Go (``strconv.ParseInt`` with base 10 and 64 bits)."""

import re
from typing import Final

from memkube.apimachinery.shown_values import quoted

_INT64: Final = 2**63
_MOST_DIGITS: Final = 19
_integer: Final = re.compile("[+-]?[0-9]+").fullmatch


def parse_int64(text: str) -> int:
    """Return the 64-bit integer in `text`. Raises ValueError with Go's message if there is none."""
    if _integer(text) is None:
        raise ValueError(f"strconv.ParseInt: parsing {quoted(text)}: invalid syntax")
    # Python refuses to convert texts of several thousand digits, so the digits are counted first.
    digits = text.lstrip("+-").lstrip("0")
    number = int(digits or "0") if len(digits) <= _MOST_DIGITS else 2 * _INT64
    number = -number if text.startswith("-") else number
    if not -_INT64 <= number < _INT64:
        raise ValueError(f"strconv.ParseInt: parsing {quoted(text)}: value out of range")
    return number
