"""Conversion of floating-point numbers to 64-bit integers, as Go makes it on amd64."""

from typing import Final

_LEAST: Final = -(2**63)


def truncated(number: float) -> int:
    """Return `number` without its fraction; if it does not fit into 64 bits, return the smallest 64-bit integer."""
    return int(number) if abs(number) < -_LEAST else _LEAST
