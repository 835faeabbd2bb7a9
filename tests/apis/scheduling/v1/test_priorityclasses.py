from typing import Any

import httpx
import pytest

from memkube.apis.scheduling.v1.priorityclasses.strategy import (
    PriorityClassStrategy,
    validate_priority_class,
    validate_priority_class_update,
)
from memkube.apis.scheduling.v1.priorityclasses.types import PriorityClass
from memkube.server.server import Server
from memkube.server.settings import Settings

_CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
_RESERVED = (
    "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: "
)


def _class(name: str = "high", **fields: Any) -> PriorityClass:
    return PriorityClass.from_document({"metadata": {"name": name, "resourceVersion": "1"}, "value": 0, **fields})


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"name": "system-x"}, f"{_RESERVED}system-x is not a known system priority class"),
        (
            {"name": "system-node-critical", "value": 1},
            f"{_RESERVED}value of system-node-critical PriorityClass must be 2000001000",
        ),
        (
            {"name": "system-cluster-critical", "value": 2_000_000_000, "globalDefault": True},
            f"{_RESERVED}globalDefault of system-cluster-critical PriorityClass must be false",
        ),
        (
            {"value": 1_000_000_001},
            "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
        ),
        ({"preemptionPolicy": ""}, "preemptionPolicy: Required value"),
        (
            {"preemptionPolicy": "Always"},
            'preemptionPolicy: Unsupported value: "Always": supported values: "PreemptLowerPriority", "Never"',
        ),
    ],
)
def test_names_values_and_policies_have_their_bounds(fields: dict[str, Any], error: str) -> None:
    assert [str(found) for found in validate_priority_class(_class(**fields))] == [error]


@pytest.mark.parametrize("value", [-(2**31), 1_000_000_000])
def test_a_priority_may_be_negative_and_a_thousand_million(value: int) -> None:
    assert validate_priority_class(_class(value=value)) == []


def test_the_value_and_the_preemption_policy_are_immutable() -> None:
    new = _class(value=1, preemptionPolicy="Never", description="x", globalDefault=True)
    errors = validate_priority_class_update(new, _class(preemptionPolicy="PreemptLowerPriority"))
    assert [str(error) for error in errors] == [
        "value: Forbidden: may not be changed in an update.",
        'preemptionPolicy: Invalid value: "Never": field is immutable',
    ]


def test_pods_of_a_class_push_out_others_by_default() -> None:
    new = _class()
    PriorityClassStrategy().default(new)
    assert new.preemptionPolicy == "PreemptLowerPriority"


def test_system_classes_cannot_be_deleted(client: httpx.Client) -> None:
    answer = client.delete(f"{_CLASSES}/system-node-critical")
    assert answer.status_code == 403
    assert answer.json()["message"].endswith("this is a system priority class and cannot be deleted")


def test_with_the_collection_go_the_classes_of_the_system() -> None:
    with Server(Settings(controllers=())).in_thread() as server, httpx.Client(base_url=server.url) as client:
        client.delete(_CLASSES).raise_for_status()
        assert client.get(_CLASSES).json()["items"] == []
