"""Conditions of an object's status (the API conventions' section on conditions)."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Protocol, TypeVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Time


class Condition(ApiModel):
    """One aspect of an object's state at a time."""

    type: Annotated[str, Required()] = Field(
        default="", description="Name of the aspect, in CamelCase or as a qualified name."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="True, False or Unknown."
    )
    observedGeneration: Int64 = Field(
        default=0, description="Generation of the object that the condition was computed from."
    )
    lastTransitionTime: Annotated[Time | None, Required()] = Field(
        default=None, description="When the status changed last."
    )
    reason: Annotated[str, Required()] = Field(
        default="", description="Why the status is as it is, in one CamelCase word."
    )
    message: Annotated[str, Required()] = Field(
        default="", description="Why the status is as it is, for people to read."
    )


class OlderCondition(ApiModel):
    """What the conditions of kinds have in common that are older than `Condition`; the reference repeats it."""

    go_struct: ClassVar[bool] = False

    type: Annotated[str, Required()] = Field(default="", description="Which aspect.")
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="True, False or Unknown."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the status changed last."
    )
    reason: str = Field(default="", description="Why, in one CamelCase word.")
    message: str = Field(default="", description="Why, for people.")


class ProbedCondition(ApiModel):
    """What the conditions have in common that also tell when somebody looked; the reference repeats it."""

    go_struct: ClassVar[bool] = False

    type: Annotated[str, Required()] = Field(default="", description="Which aspect.")
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="True, False or Unknown."
    )
    lastProbeTime: Annotated[Time | None, Always()] = Field(default=None, description="When somebody looked last.")
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the status changed last."
    )
    reason: str = Field(default="", description="Why, in one CamelCase word.")
    message: str = Field(default="", description="Why, for people.")


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
