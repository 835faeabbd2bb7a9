"""Division of the seats among the priority levels (apiserver ``util/flowcontrol/apf_controller.go``)."""

from collections.abc import Collection
from typing import NamedTuple

from memkube.endpoints.flow_control.classification import PriorityLevel


class Share(NamedTuple):
    """Numbers of seats (concurrent requests) that one priority level is guaranteed, and may use at most."""

    guaranteed: int
    """Number of seats that other levels cannot borrow from this level."""
    most: int
    """Maximum number of seats that the level can use, including those borrowed from other levels."""


def shares_of(levels: Collection[PriorityLevel], seats: int) -> dict[str, Share]:
    """Divide `seats` among priority levels in proportion to their shares. Return the result by name of the level.

    kube-apiserver rounds each level's number of seats up, so that their sum may exceed `seats`; this function rounds
    down.
    """
    total = sum(level.shares for level in levels)
    return {level.name: _share(level, seats * level.shares // total if total else 0, seats) for level in levels}


def _share(level: PriorityLevel, nominal: int, seats: int) -> Share:
    borrowed = seats if level.borrowing_percent is None else _percent(nominal, level.borrowing_percent)
    most = min(max(nominal + borrowed, 1), seats)
    return Share(nominal - _percent(nominal, level.lendable_percent), most)


def _percent(number: int, percent: int) -> int:
    return (number * percent + 50) // 100
