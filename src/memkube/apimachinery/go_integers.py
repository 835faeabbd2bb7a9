"""64-bit integers as in Go: parsing (``strconv.ParseInt``), conversion of floating-point numbers, and overflow."""

import re
from typing import Final

_INT64: Final = 2**63
_MOST_DIGITS: Final = 64
_BASES: Final = {"x": 16, "o": 8, "b": 2}
_integer: Final = re.compile("[+-]?[0-9]+").fullmatch
_prefixed: Final = re.compile(
    "[+-]?(0[xX](_?[0-9a-fA-F])+|0[bB](_?[01])+|0[oO]?(_?[0-7])+|[1-9](_?[0-9])*|0)"
).fullmatch


def parse_int64(text: str) -> int:
    """Return the decimal integer in `text`. Raises ValueError with Go's message if there is none."""
    if _integer(text) is None:
        raise _refusal(text, "invalid syntax")
    return _in_range(text, text.lstrip("+-"), 10)


def parse_prefixed_int64(text: str) -> int:
    """Parse an integer written like a Go literal, such as ``12`` or ``0x1f``: its prefix gives the base.

    Raises ValueError with Go's message if `text` is not such an integer, or if the integer exceeds int64.
    """
    if _prefixed(text) is None:
        raise _refusal(text, "invalid syntax")
    digits = text.lstrip("+-").replace("_", "").lower()
    if not digits.startswith("0"):
        return _in_range(text, digits, 10)
    letter = digits[1:2]
    return _in_range(text, digits[2:] if letter in _BASES else digits, _BASES.get(letter, 8))


def truncated_to_int64(number: float) -> int:
    """Return `number` without its fraction, or the smallest 64-bit integer if it does not fit, as Go does on amd64."""
    return int(number) if abs(number) < _INT64 else -_INT64


def wrapped_to_int64(number: int) -> int:
    """Return the result of an arithmetic operation as a 64-bit integer, which overflows as in Go."""
    return (number + _INT64) % (2 * _INT64) - _INT64


def _in_range(text: str, digits: str, base: int) -> int:
    """Return the integer with these digits, and with the sign of `text`. Raises ValueError if it exceeds 64 bits."""
    digits = digits.lstrip("0")
    # Python refuses to convert texts of several thousand digits, so the digits are counted first.
    number = int(digits or "0", base) if len(digits) <= _MOST_DIGITS else 2 * _INT64
    number = -number if text.startswith("-") else number
    if not -_INT64 <= number < _INT64:
        raise _refusal(text, "value out of range")
    return number


def _refusal(text: str, why: str) -> ValueError:
    from memkube.apimachinery.shown_values import quoted  # noqa: PLC0415  Pydantic is not imported for a valid number

    return ValueError(f"strconv.ParseInt: parsing {quoted(text)}: {why}")
