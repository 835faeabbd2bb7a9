"""Conditions of any kind's status (the API conventions' section on conditions)."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from memkube.apimachinery.time import Time


class _Condition(Protocol):
    type: str
    status: str
    lastTransitionTime: Time | None


C = TypeVar("C", bound=_Condition)


def find_condition(conditions: Sequence[C], condition_type: str) -> C | None:
    """The condition of a type, if there is one."""
    return next((condition for condition in conditions if condition.type == condition_type), None)


def date_transition(condition: C, old: C | None, now: Time) -> None:
    """Sets the transition time of a condition that follows `old`: `now`, or as it was while ``status`` is the same."""
    same = old is not None and old.status == condition.status
    condition.lastTransitionTime = old.lastTransitionTime if old is not None and same else now


def with_condition(conditions: Sequence[C], condition: C, now: Time) -> list[C]:
    """The conditions with this one in place of the one of its type, or behind them.

    Its transition time is `now`, or stays as long as its ``status`` does.
    """
    old = find_condition(conditions, condition.type)
    date_transition(condition, old, now)
    if old is None:
        return [*conditions, condition]
    return [condition if each is old else each for each in conditions]
