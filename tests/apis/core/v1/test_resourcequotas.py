from typing import Any

import pytest

from memkube.apis.core.v1.resourcequotas.columns import PRINTER
from memkube.apis.core.v1.resourcequotas.types import ResourceQuota
from memkube.apis.core.v1.resourcequotas.validation import (
    request_warnings,
    validate_resource_quota,
    validate_resource_quota_update,
)


def quota(hard: dict[str, str], **spec: Any) -> ResourceQuota:
    """Return a ResourceQuota with these hard limits."""
    return ResourceQuota.from_document({"metadata": {"name": "a", "namespace": "b"}, "spec": {"hard": hard, **spec}})


def problems(hard: dict[str, str], **spec: Any) -> list[str]:
    """Validate a ResourceQuota. Return the details of the errors."""
    return [error.detail for error in validate_resource_quota(quota(hard, **spec))]


@pytest.mark.parametrize(
    ("name", "amount", "expected"),
    [
        ("requests.cpu", "500m", []),
        ("count/deployments.apps", "2", []),
        ("gold.storageclass.storage.k8s.io/requests.storage", "1Gi", []),
        ("storage", "1", ["must be a standard resource for quota"]),
        ("pods", "1500m", ["must be an integer"]),
        ("pods", "-1", ["must be greater than or equal to 0"]),
        ("x", "1", ["must be a standard resource type or fully qualified", "must be a standard resource for quota"]),
    ],
)
def test_limited_resources_have_names_and_amounts(name: str, amount: str, expected: list[str]) -> None:
    assert problems({name: amount}) == expected


@pytest.mark.parametrize(
    ("scopes", "expected"),
    [
        (["NotBestEffort", "Terminating"], []),
        (["Odd"], ["unsupported scope"]),
        (["BestEffort"], ["unsupported scope applied to resource"]),
        (["VolumeAttributesClass"], ["unsupported scope applied to resource"] * 2),
        (["Terminating", "NotTerminating"], ["conflicting scopes"]),
    ],
)
def test_scopes_fit_what_is_limited_and_each_other(scopes: list[str], expected: list[str]) -> None:
    assert problems({"pods": "1", "cpu": "1", "count/pods": "1"}, scopes=scopes) == expected


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ({"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}, 0),
        ({"scopeName": "PriorityClass", "operator": "In"}, 1),
        ({"scopeName": "PriorityClass", "operator": "Exists", "values": ["high"]}, 1),
        ({"scopeName": "Terminating", "operator": "DoesNotExist"}, 1),
        ({"scopeName": "Odd", "operator": "Odd"}, 2),
    ],
)
def test_a_requirement_has_values_where_its_operator_takes_some(requirement: dict[str, Any], expected: int) -> None:
    assert len(problems({"pods": "1"}, scopeSelector={"matchExpressions": [requirement]})) == expected


def test_the_scopes_are_immutable() -> None:
    old, new = quota({}, scopes=["Terminating"]), quota({})
    old.metadata.resourceVersion = new.metadata.resourceVersion = "1"
    (error,) = validate_resource_quota_update(new, old)
    assert str(error) == "spec.scopes: Invalid value: null: field is immutable"


def test_requests_above_limits_are_warned_of() -> None:
    hard = {"memory": "2Gi", "limits.memory": "1Gi", "requests.cpu": "1", "limits.cpu": "1"}
    assert request_warnings(quota(hard)) == ["ResourceQuota memory (2Gi) should be less than limits.memory (1Gi)"]


def test_limits_have_a_column_of_their_own() -> None:
    status = {"hard": {"pods": "2", "limits.cpu": "1", "cpu": "3"}, "used": {"cpu": "500m"}}
    row = PRINTER.row({"metadata": {"name": "a"}, "spec": {}, "status": status})
    assert row.cells[:3] == ["a", "cpu: 500m/3, pods: 0/2", "limits.cpu: 0/1"]
