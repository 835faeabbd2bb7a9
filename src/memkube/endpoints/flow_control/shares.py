"""Division of the seats between the priority levels (apiserver ``util/flowcontrol/apf_controller.go``)."""

from collections.abc import Collection
from typing import NamedTuple

from memkube.endpoints.flow_control.classification import PriorityLevel


class Share(NamedTuple):
    """The part of a number of seats that one priority level may use."""

    guaranteed: int
    """Number of seats that other levels cannot use."""
    most: int
    """Number of seats that the level can use at most, those of other levels included."""


def shares_of(levels: Collection[PriorityLevel], seats: int) -> dict[str, Share]:
    """Divide `seats` between priority levels in proportion to their shares. Return the parts by name of the level.

    kube-apiserver rounds the parts up, so that their sum may exceed the seats; here they are rounded down.
    """
    total = sum(level.shares for level in levels)
    return {level.name: _share(level, seats * level.shares // total if total else 0, seats) for level in levels}


def _share(level: PriorityLevel, nominal: int, seats: int) -> Share:
    borrowed = seats if level.borrowing_percent is None else _percent(nominal, level.borrowing_percent)
    most = min(max(nominal + borrowed, 1), seats)
    return Share(nominal - _percent(nominal, level.lendable_percent), most)


def _percent(number: int, percent: int) -> int:
    return (number * percent + 50) // 100
