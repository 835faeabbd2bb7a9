from typing import Any

import pytest

from memkube.apis.core.v1.pods.validation import validate_pod_resize
from tests.apis.core.v1.pods.examples import container, created_pod


def sized(**requests: str) -> dict[str, Any]:
    return {"containers": [container(resources={"requests": requests})]}


def errors_of(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [str(error) for error in validate_pod_resize(created_pod(**new), created_pod(**old))]


def test_cpu_and_memory_may_change() -> None:
    assert errors_of(sized(cpu="1"), sized(cpu="2", memory="1Gi")) == []


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        (sized(cpu="1"), sized(), 'spec: Invalid value: "BestEffort": Pod QOS Class may not change'),
        (
            sized(cpu="1", memory="1Gi"),
            sized(cpu="1"),
            "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
        ),
        (
            sized(cpu="1", **{"ephemeral-storage": "1Gi"}),
            sized(cpu="1", **{"ephemeral-storage": "2Gi"}),
            "spec: Forbidden: only cpu and memory resources are mutable",
        ),
        (
            sized(cpu="1"),
            {"containers": [container(name="b", resources={"requests": {"cpu": "1"}})]},
            "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize",
        ),
        (
            {**sized(cpu="1"), "os": {"name": "windows"}},
            {**sized(cpu="2"), "os": {"name": "windows"}},
            "[]: Forbidden: windows pods cannot be resized",
        ),
        (
            {**sized(cpu="1"), "resources": {"requests": {"cpu": "1"}}},
            sized(cpu="1"),
            "spec.resources: Forbidden: pod-level resources cannot be removed",
        ),
    ],
)
def test_a_resize_changes_nothing_but_cpu_and_memory(old: dict[str, Any], new: dict[str, Any], error: str) -> None:
    errors = errors_of(old, new)
    assert errors[0].startswith(error)


def test_a_pod_grows_as_a_whole() -> None:
    old = {**sized(cpu="1"), "resources": {"requests": {"cpu": "1"}}}
    assert errors_of(old, {**sized(cpu="1"), "resources": {"requests": {"cpu": "2"}}}) == []
