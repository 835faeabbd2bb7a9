"""The speed of the processor, by which tests scale their limits on processor time."""

from time import process_time
from typing import Final

_USUAL_SECONDS: Final = 0.03
"""Processor time of `_work` on a machine for which the limits hold."""


def slowness() -> float:
    """Return how many times slower this machine is than one for which the limits hold; at least 1."""
    return max(1.0, min(_work() for _ in range(5)) / _USUAL_SECONDS)


def _work() -> float:
    began = process_time()
    assert sum(number % 7 for number in range(500_000))
    return process_time() - began
