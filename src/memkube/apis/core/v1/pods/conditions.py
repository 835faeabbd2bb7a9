"""Conditions in a pod's status."""

from memkube.apimachinery.meta.v1.condition import find_condition, with_condition
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.types.status import PodCondition, PodStatus


def set_condition(status: PodStatus, condition: PodCondition, now: Time) -> None:
    """Adds or replaces the condition of its type; its transition time stays as long as its ``status`` does."""
    status.conditions = with_condition(status.conditions, condition, now)


def is_ready(status: PodStatus) -> bool:
    """Whether the Ready condition is true."""
    ready = find_condition(status.conditions, "Ready")
    return ready is not None and ready.status == "True"
