"""Sets the conditions in the status of a HorizontalPodAutoscaler, such as ScalingActive."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from memkube.apimachinery.meta.v1.condition import date_transition
from memkube.apimachinery.time import Time
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import HorizontalPodAutoscalerCondition

ConditionType: TypeAlias = Literal["AbleToScale", "ScalingActive", "ScalingLimited"]


class Conditions:
    """The conditions of a HorizontalPodAutoscaler during one reconciliation, in their order in the status."""

    def __init__(self, conditions: Sequence[HorizontalPodAutoscalerCondition], now: Time) -> None:
        self._now = now
        self._conditions = {condition.type: condition for condition in conditions}

    def set(self, kind: ConditionType, reason: str, message: str, *, holds: bool = True) -> None:
        """Set the condition of type `kind`; add it if it is missing. Its status is True if `holds`, otherwise False.

        Its transition time changes only if its status changes.
        """
        status = "True" if holds else "False"
        condition = HorizontalPodAutoscalerCondition(type=kind, status=status, reason=reason, message=message)
        date_transition(condition, self._conditions.get(kind), self._now)
        self._conditions[kind] = condition

    def drop(self, kind: str) -> None:
        """Remove the condition of type `kind`, if the autoscaler has it."""
        self._conditions.pop(kind, None)

    def listed(self) -> list[HorizontalPodAutoscalerCondition]:
        """Return all conditions in the form in which the autoscaler's status contains them."""
        return list(self._conditions.values())
