from datetime import UTC, datetime

import pytest

from memkube.apis.apps.v1.deployments.types import Deployment
from memkube.controllers.deployment.status import deadline

NOTED = "2026-01-01T00:00:00Z"


def deployment(reason: str | None, seconds: int | None = 60, available: int = 0) -> Deployment:
    """Return a Deployment with one pod, whose progress was last recorded at midnight on New Year's Day."""
    conditions = [{"type": "Progressing", "status": "True", "lastUpdateTime": NOTED, "reason": reason}]
    counts = {"replicas": 1, "updatedReplicas": 1, "availableReplicas": available}
    spec = {"replicas": 1, "progressDeadlineSeconds": seconds}
    status = {**counts, "conditions": conditions if reason else []}
    return Deployment.from_document({"metadata": {}, "spec": spec, "status": status})


@pytest.mark.parametrize("reason", ["NewReplicaSetCreated", "ReplicaSetUpdated", "DeploymentResumed"])
def test_an_update_that_goes_on_may_fail(reason: str) -> None:
    made = deployment(reason)
    assert deadline(made, made.status) == datetime(2026, 1, 1, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "made",
    [
        deployment("NewReplicaSetAvailable"),
        deployment("ProgressDeadlineExceeded"),
        deployment("DeploymentPaused"),
        deployment("ReplicaSetUpdated", available=1),
        deployment("ReplicaSetUpdated", seconds=None),
        deployment("ReplicaSetUpdated", seconds=2**31 - 1),
        deployment(None),
    ],
)
def test_nobody_waits_for_what_cannot_happen(made: Deployment) -> None:
    assert deadline(made, made.status) is None
