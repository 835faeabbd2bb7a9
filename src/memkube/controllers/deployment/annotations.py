"""What a Deployment notes on its ReplicaSets (``util/deployment_util.go``)."""

from typing import Final

from memkube.apis.apps.v1.deployments.types import Deployment
from memkube.apis.apps.v1.replicasets.types import ReplicaSet
from memkube.controllers.deployment.sizes import largest

REVISION: Final = "deployment.kubernetes.io/revision"
_HISTORY: Final = "deployment.kubernetes.io/revision-history"
_DESIRED: Final = "deployment.kubernetes.io/desired-replicas"
_MOST: Final = "deployment.kubernetes.io/max-replicas"
_LONGEST_HISTORY: Final = 2000
_OWN: Final = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        REVISION,
        _HISTORY,
        _DESIRED,
        _MOST,
        "deprecated.deployment.rollback.to",
    }
)


def revision_of(replica_set: ReplicaSet) -> int:
    """Which template of its Deployment the ReplicaSet is for, counted from one; zero where nothing says."""
    return _number(replica_set, REVISION) or 0


def desired_when_scaled(replica_set: ReplicaSet) -> int | None:
    """How many pods the Deployment wanted when it scaled the ReplicaSet last."""
    return _number(replica_set, _DESIRED)


def largest_when_scaled(replica_set: ReplicaSet) -> int | None:
    """How many pods the Deployment might have had when it scaled the ReplicaSet last."""
    return _number(replica_set, _MOST)


def replicas_annotations(deployment: Deployment) -> dict[str, str]:
    """What is noted on a ReplicaSet when it is scaled."""
    return {_DESIRED: str(deployment.spec.replicas), _MOST: str(largest(deployment))}


def revised_annotations(deployment: Deployment, replica_set: ReplicaSet, revision: int) -> dict[str, str]:
    """The annotations of the ReplicaSet of the present template: the Deployment's, and the newest revision."""
    annotations = dict(replica_set.metadata.annotations)
    annotations |= {name: text for name, text in deployment.metadata.annotations.items() if name not in _OWN}
    old = annotations.get(REVISION)
    if old is not None and old and _parsed(old) is None:
        return annotations
    if (_parsed(old or "") or 0) < revision:
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
    return _parsed(replica_set.metadata.annotations.get(name, ""))


def _parsed(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and int(text) < 2**31 else None
