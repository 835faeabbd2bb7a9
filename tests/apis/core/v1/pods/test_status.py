from typing import Any

import pytest

from memkube.apis.core.v1.pods.status import qos_class
from tests.apis.core.v1.pods.examples import container, pod

BOTH = {"cpu": "1", "memory": "1Gi"}


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({}, "BestEffort"),
        ({"requests": {"ephemeral-storage": "1Gi"}}, "BestEffort"),
        ({"requests": {"cpu": "0"}}, "BestEffort"),
        ({"requests": BOTH}, "Burstable"),
        ({"limits": {"cpu": "1"}}, "Burstable"),
        ({"limits": BOTH}, "Guaranteed"),
        ({"limits": BOTH, "requests": {"cpu": "500m", "memory": "1Gi"}}, "Burstable"),
        ({"limits": BOTH, "requests": {"cpu": "1000m", "memory": "1024Mi"}}, "Guaranteed"),
    ],
)
def test_the_class_follows_from_requests_and_limits(resources: dict[str, Any], expected: str) -> None:
    assert qos_class(pod(containers=[container(resources=resources)]).spec) == expected


def test_one_container_without_limits_spoils_the_guarantee() -> None:
    made = pod(containers=[container(resources={"limits": BOTH}), container(name="other")])
    assert qos_class(made.spec) == "Burstable"


def test_resources_of_the_pod_as_a_whole_decide_alone() -> None:
    assert qos_class(pod(resources={"limits": BOTH}).spec) == "Guaranteed"
