from typing import Any

import pytest

from memkube.apis.apps.v1.deployments.types import DeploymentStatus
from memkube.apis.apps.v1.deployments.validation import validate_deployment, validate_deployment_status_update
from tests.apis.apps.v1.workloads import workload


@pytest.mark.parametrize(
    ("strategy", "error"),
    [
        ({"rollingUpdate": {"maxSurge": "50%"}}, None),
        ({"rollingUpdate": {"maxUnavailable": 0, "maxSurge": 0}}, "maxUnavailable"),
        ({"rollingUpdate": {"maxUnavailable": "101%"}}, "maxUnavailable"),
        ({"rollingUpdate": {"maxSurge": -1}}, "maxSurge"),
        ({"type": "Recreate", "rollingUpdate": {}}, "rollingUpdate"),
        ({"type": "Recreate"}, None),
        ({"type": "Odd"}, "strategy"),
    ],
)
def test_an_update_can_make_progress(strategy: dict[str, Any], error: str | None) -> None:
    errors = validate_deployment(workload("Deployment", strategy=strategy))
    assert [each.field.rpartition(".")[2] for each in errors] == ([error] if error else [])


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (DeploymentStatus(replicas=1, readyReplicas=1, collisionCount=2), None),
        (DeploymentStatus(replicas=1, readyReplicas=1, collisionCount=1), "status.collisionCount"),
        (DeploymentStatus(updatedReplicas=1, collisionCount=2), "status.updatedReplicas"),
        (DeploymentStatus(replicas=1, availableReplicas=1, collisionCount=2), "status.availableReplicas"),
        (DeploymentStatus(unavailableReplicas=-1, collisionCount=2), "status.unavailableReplicas"),
    ],
)
def test_the_numbers_of_a_status_fit_together(status: DeploymentStatus, error: str | None) -> None:
    old, new = workload("Deployment"), workload("Deployment")
    old.status.collisionCount, new.status = 2, status
    errors = validate_deployment_status_update(new, old)
    assert [each.field for each in errors] == ([error] if error else [])


def test_messages_show_a_step_that_nobody_gave_as_zero() -> None:
    (error,) = validate_deployment(workload("Deployment", strategy={"type": "Odd", "rollingUpdate": {"maxSurge": 1}}))
    assert '{"Type":"Odd","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":1}}' in str(error)


def test_an_empty_text_is_no_step() -> None:
    steps = {"maxUnavailable": "", "maxSurge": "10%"}
    (error,) = validate_deployment(workload("Deployment", strategy={"rollingUpdate": steps}))
    assert str(error).startswith(
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "": a valid percent string'
    )
