"""Conditions in a pod's status."""

from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.types.status import PodCondition, PodStatus


def find_condition(status: PodStatus, condition_type: str) -> PodCondition | None:
    """The condition of a type, if the status has it."""
    return next((c for c in status.conditions if c.type == condition_type), None)


def set_condition(status: PodStatus, condition: PodCondition, now: Time) -> None:
    """Adds or replaces the condition of its type; its transition time stays as long as its ``status`` does."""
    old = find_condition(status, condition.type)
    same = old is not None and old.status == condition.status
    condition.lastTransitionTime = old.lastTransitionTime if old is not None and same else now
    if old is None:
        status.conditions = [*status.conditions, condition]
    else:
        status.conditions = [condition if c is old else c for c in status.conditions]


def is_ready(status: PodStatus) -> bool:
    """Whether the Ready condition is true."""
    ready = find_condition(status, "Ready")
    return ready is not None and ready.status == "True"
