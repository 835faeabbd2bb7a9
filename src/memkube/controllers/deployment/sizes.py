"""How large ReplicaSets may be in the midst of an update (``util/deployment_util.go``)."""

import math
from collections.abc import Iterable

from memkube.apis.apps.v1.deployments.types import Deployment
from memkube.apis.apps.v1.replicasets.types import ReplicaSet


def wanted(replica_set: ReplicaSet) -> int:
    """How many pods a ReplicaSet is to have."""
    return replica_set.spec.replicas or 0


def total(replica_sets: Iterable[ReplicaSet]) -> int:
    """How many pods they are to have together."""
    return sum(map(wanted, replica_sets))


def desired(deployment: Deployment) -> int:
    """How many pods a Deployment is to have."""
    return deployment.spec.replicas or 0


def is_rolling(deployment: Deployment) -> bool:
    """Whether pods are replaced step by step."""
    return deployment.spec.strategy.type == "RollingUpdate"


def surge(deployment: Deployment) -> int:
    """How many pods more than wanted there may be."""
    rolling = deployment.spec.strategy.rollingUpdate
    if not is_rolling(deployment) or rolling is None:
        return 0
    return _share(rolling.maxSurge, desired(deployment), up=True)


def largest(deployment: Deployment) -> int:
    """How many pods there may be."""
    return desired(deployment) + surge(deployment)


def unavailable(deployment: Deployment) -> int:
    """How many of the pods wanted may be missing; at least one where there may be none too many."""
    rolling, count = deployment.spec.strategy.rollingUpdate, desired(deployment)
    if not is_rolling(deployment) or rolling is None or count == 0:
        return 0
    missing = _share(rolling.maxUnavailable, count, up=False)
    if missing == 0 and surge(deployment) == 0:
        missing = 1
    return min(missing, count)


def new_size(deployment: Deployment, all_sets: Iterable[ReplicaSet], new: int) -> int:
    """How large the newest ReplicaSet, of so many pods now, may get beside the others."""
    if not is_rolling(deployment):
        return desired(deployment)
    room = largest(deployment) - total(all_sets)
    return new if room <= 0 else new + min(room, desired(deployment) - new)


def proportion(
    replica_set: ReplicaSet, deployment: Deployment, largest_before: int | None, to_add: int, added: int
) -> int:
    """A ReplicaSet's share of the pods that scaling adds, or takes, in the midst of an update."""
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


def _share(value: int | str | None, count: int, *, up: bool) -> int:
    if isinstance(value, str):
        percent = int(value.removesuffix("%")) * count
        return -(-percent // 100) if up else percent // 100
    return value or 0
