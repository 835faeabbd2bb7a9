from typing import Any

import httpx
import pytest

from memkube.apis.apps.v1.deployments.types import DeploymentStatus
from memkube.apis.apps.v1.deployments.validation import validate_deployment, validate_deployment_status_update
from tests.apis.apps.v1.workloads import TEMPLATE, workload

_ROLLBACK = "deprecated.deployment.rollback.to"
_SPEC = {"paused": True, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
_WHY = f'failed to parse annotation[{_ROLLBACK}]=x as int64: strconv.ParseInt: parsing "x": invalid syntax'


@pytest.fixture
def deployments(namespace: str) -> str:
    """The URL path of the Deployments in the test's namespace."""
    return f"/apis/apps/v1/namespaces/{namespace}/deployments"


def _patch(client: httpx.Client, path: str, revision: str, kind: str = "merge-patch+json") -> httpx.Response:
    headers = {"Content-Type": f"application/{kind}"}
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"annotations": {_ROLLBACK: revision}}}
    return client.patch(path, params={"fieldManager": "me"}, json=body, headers=headers)


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


def test_a_rollback_to_what_is_no_number_is_refused_on_creation(client: httpx.Client, deployments: str) -> None:
    body = {"metadata": {"name": "web", "annotations": {_ROLLBACK: "x"}}, "spec": _SPEC}
    refused = client.post(deployments, json=body)
    expected = f'Deployment in version "v1" cannot be handled as a Deployment: {_WHY}'
    assert (refused.status_code, refused.json()["message"]) == (400, expected)


def test_a_rollback_to_a_number_of_thousands_of_digits_is_refused(client: httpx.Client, deployments: str) -> None:
    body = {"metadata": {"name": "web", "annotations": {_ROLLBACK: "9" * 5000}}, "spec": _SPEC}
    refused = client.post(deployments, json=body)
    assert (refused.status_code, refused.json()["message"][-18:]) == (400, "value out of range")


@pytest.mark.parametrize(
    ("kind", "code", "beginning"),
    [
        ("merge-patch+json", 422, ' "" is invalid: patch: Invalid value: "{'),
        ("strategic-merge-patch+json", 500, "failed to parse"),
        ("apply-patch+yaml", 500, "failed to convert to unversioned (/; apps/v1, Kind=Deployment): failed to parse"),
    ],
)
def test_a_rollback_to_what_is_no_number_is_refused_in_a_patch(
    client: httpx.Client, deployments: str, kind: str, code: int, beginning: str
) -> None:
    client.post(deployments, json={"metadata": {"name": "web"}, "spec": _SPEC}).raise_for_status()
    refused = _patch(client, f"{deployments}/web", "x", kind)
    message = refused.json()["message"]
    assert (refused.status_code, message[: len(beginning)]) == (code, beginning)
    assert message.endswith(_WHY)


@pytest.mark.parametrize(("written", "stored"), [("+3", "3"), ("007", "7"), ("", None)])
def test_a_requested_rollback_is_stored_as_a_plain_number(
    client: httpx.Client, deployments: str, written: str, stored: str | None
) -> None:
    client.post(deployments, json={"metadata": {"name": "web"}, "spec": _SPEC}).raise_for_status()
    annotations = _patch(client, f"{deployments}/web", written).json()["metadata"].get("annotations", {})
    assert annotations.get(_ROLLBACK) == stored


def test_a_requested_rollback_is_no_annotation_where_only_metadata_is_shown(
    client: httpx.Client, deployments: str
) -> None:
    body = {"metadata": {"name": "web", "annotations": {_ROLLBACK: "3", "mine": "1"}}, "spec": _SPEC}
    client.post(deployments, json=body).raise_for_status()
    accept = {"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}
    shown = client.get(f"{deployments}/web", headers=accept).json()
    assert shown["metadata"]["annotations"] == {"mine": "1"}


def test_a_rollback_to_a_negative_revision_is_invalid() -> None:
    deployment = workload("Deployment", revisionHistoryLimit=-2, progressDeadlineSeconds=-1)
    deployment.metadata.annotations = {_ROLLBACK: "-7"}
    fields = [each.field for each in validate_deployment(deployment)]
    assert fields[:3] == ["spec.revisionHistoryLimit", "spec.rollback.version", "spec.progressDeadlineSeconds"]


def test_a_status_update_requests_no_rollback(client: httpx.Client, deployments: str) -> None:
    client.post(deployments, json={"metadata": {"name": "web"}, "spec": _SPEC}).raise_for_status()
    answer = _patch(client, f"{deployments}/web/status", "2")
    assert (answer.status_code, answer.json()["metadata"].get("annotations", {}).get(_ROLLBACK)) == (200, None)
