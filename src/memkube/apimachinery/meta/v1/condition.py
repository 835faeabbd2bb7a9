"""Conditions in the status of objects (see the section on conditions in the API conventions)."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Protocol, TypeVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Time


class Condition(ApiModel):
    """A condition of an object: whether a statement about its state, such as Ready, is true, false or unknown."""

    type: Annotated[str, Required()] = Field(
        default="", description="Type of the condition, in CamelCase or as a qualified name."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="Status of the condition: True, False or Unknown."
    )
    observedGeneration: Int64 = Field(
        default=0, description="metadata.generation of the object when the condition was set."
    )
    lastTransitionTime: Annotated[Time | None, Required()] = Field(
        default=None, description="Time of the last change of this condition's status."
    )
    reason: Annotated[str, Required()] = Field(default="", description="Reason for the status in one CamelCase word.")
    message: Annotated[str, Required()] = Field(default="", description="Human-readable explanation of the status.")


class OlderCondition(ApiModel):
    """Base class for the conditions of kinds that do not use the type Condition of meta/v1, such as Namespace."""

    go_struct: ClassVar[bool] = False

    type: Annotated[str, Required()] = Field(
        default="", description="Type of the condition in CamelCase: what its status is about."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="Status of the condition: True, False or Unknown."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time of the last change of this condition's status."
    )
    reason: str = Field(default="", description="Reason for the status in one CamelCase word.")
    message: str = Field(default="", description="Human-readable explanation of the status.")


class ProbedCondition(ApiModel):
    """Base class for conditions that also have the field lastProbeTime, such as those of Jobs."""

    go_struct: ClassVar[bool] = False

    type: Annotated[str, Required()] = Field(
        default="", description="Type of the condition in CamelCase: what its status is about."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="Status of the condition: True, False or Unknown."
    )
    lastProbeTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time when it was last checked whether the condition holds."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time of the last change of this condition's status."
    )
    reason: str = Field(default="", description="Reason for the status in one CamelCase word.")
    message: str = Field(default="", description="Human-readable explanation of the status.")


class _Condition(Protocol):
    type: str
    status: str
    lastTransitionTime: Time | None


C = TypeVar("C", bound=_Condition)


def find_condition(conditions: Sequence[C], condition_type: str) -> C | None:
    """Return the condition of the type `condition_type`; None if `conditions` has no such condition."""
    return next((condition for condition in conditions if condition.type == condition_type), None)


def date_transition(condition: C, old: C | None, now: Time) -> None:
    """Set the lastTransitionTime of `condition`, which will replace the condition `old` (None: there was none).

    If both have the same status, the lastTransitionTime of `old` is kept; otherwise it is `now`.
    """
    same = old is not None and old.status == condition.status
    condition.lastTransitionTime = old.lastTransitionTime if old is not None and same else now


def with_condition(conditions: Sequence[C], condition: C, now: Time) -> list[C]:
    """Return the conditions with `condition` added, or replacing the condition of the same type.

    The lastTransitionTime of `condition` is set to `now` if no condition was replaced, or if the replaced one had
    another status. Otherwise it is copied from the replaced condition.
    """
    old = find_condition(conditions, condition.type)
    date_transition(condition, old, now)
    if old is None:
        return [*conditions, condition]
    return [condition if each is old else each for each in conditions]
