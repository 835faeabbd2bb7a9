"""Sizes of ReplicaSets during a rollout, and their annotations (``util/deployment_util.go``)."""

import math
import re
from collections.abc import Iterable
from typing import Final

from memkube.apis.apps.v1.deployments.types import Deployment
from memkube.apis.apps.v1.replicasets.types import ReplicaSet
from memkube.controllers.workloads.scaled_value import scaled_value

REVISION: Final = "deployment.kubernetes.io/revision"
_HISTORY: Final = "deployment.kubernetes.io/revision-history"
_DESIRED: Final = "deployment.kubernetes.io/desired-replicas"
_MOST: Final = "deployment.kubernetes.io/max-replicas"
_LONGEST_HISTORY: Final = 2000
_LARGEST: Final = 2**63
ROLLBACK_TO: Final = "deprecated.deployment.rollback.to"
"""Annotation with the revision to which a user rolls the Deployment back."""
NOT_COPIED: Final = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        REVISION,
        _HISTORY,
        _DESIRED,
        _MOST,
        ROLLBACK_TO,
    }
)
"""Annotations that are not copied between a Deployment and its ReplicaSets."""


def revision_of(replica_set: ReplicaSet) -> int | None:
    """Return the revision number of a ReplicaSet; 0 without the annotation, None if it is not a number."""
    written = replica_set.metadata.annotations.get(REVISION)
    return 0 if written is None else parsed_revision(written)


def parsed_revision(written: str) -> int | None:
    """Return the number in an annotation, or None if it is not an integer of 64 bits."""
    if not re.fullmatch("[+-]?[0-9]+", written, re.ASCII):
        return None
    number = int(written)
    return number if -_LARGEST <= number < _LARGEST else None


def desired_when_scaled(replica_set: ReplicaSet) -> int | None:
    """Return the number of replicas of the Deployment when it last scaled the ReplicaSet."""
    return _number(replica_set, _DESIRED)


def largest_when_scaled(replica_set: ReplicaSet) -> int | None:
    """Return the maximum number of replicas of the Deployment when it last scaled the ReplicaSet."""
    return _number(replica_set, _MOST)


def replicas_annotations(deployment: Deployment) -> dict[str, str]:
    """Return the annotations that record the Deployment's replicas in a scaled ReplicaSet."""
    return {_DESIRED: str(deployment.spec.replicas), _MOST: str(largest(deployment))}


def revised_annotations(deployment: Deployment, replica_set: ReplicaSet, revision: int) -> dict[str, str]:
    """Return the annotations for the present template's ReplicaSet: the Deployment's, and the highest revision."""
    annotations = dict(replica_set.metadata.annotations)
    annotations |= {name: text for name, text in deployment.metadata.annotations.items() if name not in NOT_COPIED}
    old = annotations.get(REVISION)
    number = parsed_revision(old) if old else 0
    if number is None:
        return replica_set.metadata.annotations
    if number < revision:
        annotations[REVISION] = str(revision)
        if old is not None:
            annotations[_HISTORY] = _history(annotations.get(_HISTORY, ""), old)
    return annotations


def _history(history: str, revision: str) -> str:
    revisions = [*history.split(","), revision] if history else [revision]
    while len(revisions) > 1 and len(",".join(revisions)) > _LONGEST_HISTORY:
        revisions.pop(0)
    return ",".join(revisions)


def _number(replica_set: ReplicaSet, name: str) -> int | None:
    text = replica_set.metadata.annotations.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and int(text) < 2**31 else None


def wanted(replica_set: ReplicaSet) -> int:
    """Return the desired number of replicas in the spec of a ReplicaSet."""
    return replica_set.spec.replicas or 0


def total(replica_sets: Iterable[ReplicaSet]) -> int:
    """Return the sum of the desired replicas of several ReplicaSets."""
    return sum(map(wanted, replica_sets))


def desired(deployment: Deployment) -> int:
    """Return the desired number of replicas in the spec of a Deployment."""
    return deployment.spec.replicas or 0


def is_rolling(deployment: Deployment) -> bool:
    """True if the strategy of the Deployment is RollingUpdate."""
    return deployment.spec.strategy.type == "RollingUpdate"


def surge(deployment: Deployment) -> int:
    """Return the maximum number of pods above the desired number during a rollout (``maxSurge``)."""
    rolling = deployment.spec.strategy.rollingUpdate
    if not is_rolling(deployment) or rolling is None:
        return 0
    return scaled_value(rolling.maxSurge, desired(deployment), round_up=True)


def largest(deployment: Deployment) -> int:
    """Return the maximum number of pods of a Deployment during a rollout."""
    return desired(deployment) + surge(deployment)


def unavailable(deployment: Deployment) -> int:
    """Return the maximum number of unavailable pods; at least 1 if ``maxSurge`` is 0."""
    rolling, count = deployment.spec.strategy.rollingUpdate, desired(deployment)
    if not is_rolling(deployment) or rolling is None or count == 0:
        return 0
    missing = scaled_value(rolling.maxUnavailable, count, round_up=False)
    if missing == 0 and surge(deployment) == 0:
        missing = 1
    return min(missing, count)


def new_size(deployment: Deployment, all_sets: Iterable[ReplicaSet], new: int) -> int:
    """Return the size to which the new ReplicaSet may be scaled up now, given the sizes of all ReplicaSets."""
    if not is_rolling(deployment):
        return desired(deployment)
    room = largest(deployment) - total(all_sets)
    return new if room <= 0 else new + min(room, desired(deployment) - new)


def proportion(
    replica_set: ReplicaSet, deployment: Deployment, largest_before: int | None, to_add: int, added: int
) -> int:
    """Return how many replicas a ReplicaSet gains or loses when its Deployment is scaled during a rollout."""
    if wanted(replica_set) == 0 or to_add in (0, added):
        return 0
    share = _fraction(replica_set, deployment, largest_before)
    return min(share, to_add - added) if to_add > 0 else max(share, to_add - added)


def _fraction(replica_set: ReplicaSet, deployment: Deployment, largest_before: int | None) -> int:
    size = wanted(replica_set)
    if desired(deployment) == 0:
        return -size
    before = largest_before or deployment.status.replicas
    if before == 0:
        return 0
    return math.floor(size * largest(deployment) / before + 0.5) - size
