"""Conditions of Deployments."""

from memkube.apimachinery.meta.v1.condition import find_condition
from memkube.apimachinery.time import Time
from memkube.apis.apps.v1.deployments.types import DeploymentCondition, DeploymentStatus


def condition(condition_type: str, status: str, reason: str, message: str, now: Time) -> DeploymentCondition:
    """A condition as of now."""
    return DeploymentCondition(
        type=condition_type,
        status=status,
        lastUpdateTime=now,
        lastTransitionTime=now,
        reason=reason,
        message=message,
    )


def put(status: DeploymentStatus, new: DeploymentCondition) -> None:
    """Adds a condition at the end, unless one with its status and reason is there already."""
    current = find_condition(status.conditions, new.type)
    if current is not None and current.status == new.status:
        if current.reason == new.reason:
            return
        new.lastTransitionTime = current.lastTransitionTime
    remove(status, new.type)
    status.conditions.append(new)


def remove(status: DeploymentStatus, condition_type: str) -> None:
    """Takes a condition away."""
    status.conditions = [each for each in status.conditions if each.type != condition_type]
