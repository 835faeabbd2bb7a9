"""Numbers of replicas of a Deployment's ReplicaSets, and their annotations (``util/deployment_util.go``)."""

import math
import re
from collections.abc import Iterable
from typing import Final

from memkube.apis.apps.v1.deployments.types import Deployment
from memkube.apis.apps.v1.deployments.validation import ROLLBACK_TO
from memkube.apis.apps.v1.replicasets.types import ReplicaSet
from memkube.controllers.workloads.scaled_value import scaled_value

REVISION: Final = "deployment.kubernetes.io/revision"
_HISTORY: Final = "deployment.kubernetes.io/revision-history"
_DESIRED: Final = "deployment.kubernetes.io/desired-replicas"
_MOST: Final = "deployment.kubernetes.io/max-replicas"
_LONGEST_HISTORY: Final = 2000
_LARGEST: Final = 2**63
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
    """Return the revision number of a ReplicaSet.

    The result is 0 without the annotation, and None if the annotation is not a number.
    """
    written = replica_set.metadata.annotations.get(REVISION)
    return 0 if written is None else parsed_revision(written)


def parsed_revision(written: str) -> int | None:
    """Parse the value of a revision annotation. Returns None if it is not a 64-bit integer."""
    if not re.fullmatch("[+-]?[0-9]+", written, re.ASCII):
        return None
    number = int(written)
    return number if -_LARGEST <= number < _LARGEST else None


def desired_when_scaled(replica_set: ReplicaSet) -> int | None:
    """Return how many replicas the Deployment desired when it last scaled this ReplicaSet (from an annotation)."""
    return _number(replica_set, _DESIRED)


def largest_when_scaled(replica_set: ReplicaSet) -> int | None:
    """Return how many pods the Deployment allowed when it last scaled this ReplicaSet (from an annotation)."""
    return _number(replica_set, _MOST)


def replicas_annotations(deployment: Deployment) -> dict[str, str]:
    """Return the annotations that record the Deployment's desired and maximum replicas in a scaled ReplicaSet."""
    return {_DESIRED: str(deployment.spec.replicas), _MOST: str(largest(deployment))}


def revised_annotations(deployment: Deployment, replica_set: ReplicaSet, revision: int) -> dict[str, str]:
    """Return the annotations that the ReplicaSet for the present template should have.

    They are its present annotations, those that are copied from the Deployment, and the given revision if it is higher
    than the present one. If the present revision is not a number, the present annotations are returned unchanged.
    """
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
    """Return the desired number of replicas, ``spec.replicas``, of a ReplicaSet."""
    return replica_set.spec.replicas or 0


def total(replica_sets: Iterable[ReplicaSet]) -> int:
    """Return the sum of ``spec.replicas`` of several ReplicaSets."""
    return sum(map(wanted, replica_sets))


def desired(deployment: Deployment) -> int:
    """Return the desired number of replicas, ``spec.replicas``, of a Deployment."""
    return deployment.spec.replicas or 0


def is_rolling(deployment: Deployment) -> bool:
    """True if the strategy of the Deployment is RollingUpdate."""
    return deployment.spec.strategy.type == "RollingUpdate"


def surge(deployment: Deployment) -> int:
    """Return the number of pods above ``spec.replicas`` that a rollout may create (``maxSurge``)."""
    rolling = deployment.spec.strategy.rollingUpdate
    if not is_rolling(deployment) or rolling is None:
        return 0
    return scaled_value(rolling.maxSurge, desired(deployment), round_up=True)


def largest(deployment: Deployment) -> int:
    """Return the maximum number of pods of a Deployment during a rollout: ``spec.replicas`` plus ``maxSurge``."""
    return desired(deployment) + surge(deployment)


def unavailable(deployment: Deployment) -> int:
    """Return how many pods of a Deployment may be unavailable during a rollout; at least 1 if ``maxSurge`` is 0."""
    rolling, count = deployment.spec.strategy.rollingUpdate, desired(deployment)
    if not is_rolling(deployment) or rolling is None or count == 0:
        return 0
    missing = scaled_value(rolling.maxUnavailable, count, round_up=False)
    if missing == 0 and surge(deployment) == 0:
        missing = 1
    return min(missing, count)


def new_size(deployment: Deployment, all_sets: Iterable[ReplicaSet], new: int) -> int:
    """Return the number of replicas to which the new ReplicaSet may grow now.

    `new` is its present number of replicas. During a rolling update, all ReplicaSets together must not exceed the
    Deployment's maximum number of pods. With the strategy Recreate, the result is the Deployment's desired number.
    """
    if not is_rolling(deployment):
        return desired(deployment)
    room = largest(deployment) - total(all_sets)
    return new if room <= 0 else new + min(room, desired(deployment) - new)


def proportion(
    replica_set: ReplicaSet, deployment: Deployment, largest_before: int | None, to_add: int, added: int
) -> int:
    """Return the number of replicas to add to a ReplicaSet when its Deployment is scaled during a rollout.

    `to_add` is the number of replicas to add to all ReplicaSets together, and `added` the number that other ReplicaSets
    have got already. Both are negative if replicas must be removed. `largest_before` is the Deployment's maximum number
    of pods before it was scaled, or None if it is unknown.
    """
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
