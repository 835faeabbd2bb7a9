"""Computes the status of a Deployment: pod counts and rollout conditions (``sync.go``, ``progress.go``)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from memkube.apimachinery.meta.v1.condition import find_condition
from memkube.apimachinery.time import Time
from memkube.apis.apps.v1.deployments.types import Deployment, DeploymentCondition, DeploymentStatus
from memkube.apis.apps.v1.replicasets.types import ReplicaSet
from memkube.controllers.deployment.sizes import desired, total, unavailable

PROGRESSING: Final = "Progressing"
COMPLETE: Final = "NewReplicaSetAvailable"
TIMED_OUT: Final = "ProgressDeadlineExceeded"
PAUSED: Final = "DeploymentPaused"
_FAILURE: Final = "ReplicaFailure"
_NO_DEADLINE: Final = 2**31 - 1


def condition(condition_type: str, status: str, reason: str, message: str, now: Time) -> DeploymentCondition:
    """Return a new condition for the status of a Deployment, with `now` as lastUpdateTime and lastTransitionTime."""
    return DeploymentCondition(
        type=condition_type,
        status=status,
        lastUpdateTime=now,
        lastTransitionTime=now,
        reason=reason,
        message=message,
    )


def put(status: DeploymentStatus, new: DeploymentCondition) -> None:
    """Set a condition in the Deployment's status, unless the condition already has that status and reason."""
    current = find_condition(status.conditions, new.type)
    if current is not None and current.status == new.status:
        if current.reason == new.reason:
            return
        new.lastTransitionTime = current.lastTransitionTime
    remove(status, new.type)
    status.conditions.append(new)


def remove(status: DeploymentStatus, condition_type: str) -> None:
    """Remove the condition of type `condition_type`, such as Progressing, from a Deployment's status."""
    status.conditions = [each for each in status.conditions if each.type != condition_type]


def has_deadline(deployment: Deployment) -> bool:
    """True if the Deployment has ``progressDeadlineSeconds``."""
    return deployment.spec.progressDeadlineSeconds not in (None, _NO_DEADLINE)


def is_complete(deployment: Deployment, status: DeploymentStatus) -> bool:
    """True if all pods of the Deployment have the present pod template and are available."""
    counts = (status.updatedReplicas, status.replicas, status.availableReplicas)
    return set(counts) == {desired(deployment)} and status.observedGeneration >= deployment.metadata.generation


def counted_status(
    deployment: Deployment, sets: Sequence[ReplicaSet], new: ReplicaSet | None, now: Time
) -> DeploymentStatus:
    """Return the status of a Deployment: numbers of the pods of all its ReplicaSets, and the condition Available.

    `new` is the ReplicaSet with the present pod template, or None if it does not exist.
    """
    available = sum(each.status.availableReplicas for each in sets)
    status = DeploymentStatus(
        observedGeneration=deployment.metadata.generation,
        replicas=sum(each.status.replicas for each in sets),
        updatedReplicas=new.status.replicas if new else 0,
        readyReplicas=sum(each.status.readyReplicas for each in sets),
        availableReplicas=available,
        unavailableReplicas=max(total(sets) - available, 0),
        terminatingReplicas=_terminating(sets),
        collisionCount=deployment.status.collisionCount,
        conditions=[each.model_copy() for each in deployment.status.conditions],
    )
    if available >= desired(deployment) - unavailable(deployment):
        text = "Deployment has minimum availability."
        put(status, condition("Available", "True", "MinimumReplicasAvailable", text, now))
    else:
        text = "Deployment does not have minimum availability."
        put(status, condition("Available", "False", "MinimumReplicasUnavailable", text, now))
    return status


def rollout_status(
    deployment: Deployment, sets: Sequence[ReplicaSet], new: ReplicaSet | None, instant: datetime
) -> DeploymentStatus:
    """Return the status of a Deployment: numbers of pods, and conditions such as Progressing and ReplicaFailure.

    `sets` are all its ReplicaSets. `new` is the one with the present pod template, or None if it does not exist.
    `instant` is the present time.
    """
    now = Time.at(instant)
    status = counted_status(deployment, sets, new, now)
    if not has_deadline(deployment):
        remove(status, PROGRESSING)
    else:
        _note_progress(deployment, status, new, instant)
    failures = [*([new] if new else []), *sets]
    failed = next((c for each in failures for c in each.status.conditions if c.type == _FAILURE), None)
    if failed is None:
        remove(status, _FAILURE)
    else:
        put(
            status,
            DeploymentCondition(
                type=failed.type,
                status=failed.status,
                lastTransitionTime=failed.lastTransitionTime,
                lastUpdateTime=failed.lastTransitionTime,
                reason=failed.reason,
                message=failed.message,
            ),
        )
    return status


def deadline(deployment: Deployment, status: DeploymentStatus) -> datetime | None:
    """Return the time at which the Deployment's rollout fails unless it progresses, or None if it cannot fail."""
    current = find_condition(status.conditions, PROGRESSING)
    if not has_deadline(deployment) or current is None or current.reason in (COMPLETE, TIMED_OUT, PAUSED):
        return None
    if is_complete(deployment, status) or current.lastUpdateTime is None:
        return None
    return current.lastUpdateTime.instant + timedelta(seconds=deployment.spec.progressDeadlineSeconds or 0)


def _note_progress(deployment: Deployment, status: DeploymentStatus, new: ReplicaSet | None, instant: datetime) -> None:
    current, now = find_condition(deployment.status.conditions, PROGRESSING), Time.at(instant)
    if status.replicas == status.updatedReplicas and current is not None and current.reason == COMPLETE:
        return
    named = f'ReplicaSet "{new.metadata.name}"' if new else f'Deployment "{deployment.metadata.name}"'
    if is_complete(deployment, status):
        put(status, condition(PROGRESSING, "True", COMPLETE, f"{named} has successfully progressed.", now))
    elif _made_progress(deployment.status, status):
        noted = condition(PROGRESSING, "True", "ReplicaSetUpdated", f"{named} is progressing.", now)
        if current is not None:
            if current.status == "True":
                noted.lastTransitionTime = current.lastTransitionTime
            remove(status, PROGRESSING)
        put(status, noted)
    elif _is_overdue(deployment, status, instant):
        put(status, condition(PROGRESSING, "False", TIMED_OUT, f"{named} has timed out progressing.", now))


def _made_progress(old: DeploymentStatus, new: DeploymentStatus) -> bool:
    return (
        new.updatedReplicas > old.updatedReplicas
        or new.replicas - new.updatedReplicas < old.replicas - old.updatedReplicas
        or new.readyReplicas > old.readyReplicas
        or new.availableReplicas > old.availableReplicas
    )


def _is_overdue(deployment: Deployment, status: DeploymentStatus, instant: datetime) -> bool:
    current = find_condition(status.conditions, PROGRESSING)
    if current is None or current.reason == COMPLETE or current.lastUpdateTime is None:
        return False
    seconds = deployment.spec.progressDeadlineSeconds or 0
    return current.reason == TIMED_OUT or current.lastUpdateTime.instant + timedelta(seconds=seconds) < instant


def _terminating(sets: Sequence[ReplicaSet]) -> int | None:
    """Return the number of terminating pods of all ReplicaSets, or None if a ReplicaSet's status lacks the number."""
    counts = [(each.status.terminatingReplicas, each.status.observedGeneration) for each in sets]
    if any(count is None and seen for count, seen in counts):
        return None
    return sum(count or 0 for count, _ in counts)
