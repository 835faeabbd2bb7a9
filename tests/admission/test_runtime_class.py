import uuid
from typing import Any

import httpx
import pytest

from memkube.apis.core.v1.podspec.tolerations import merged_tolerations
from memkube.apis.core.v1.podspec.types.scheduling import Toleration

_CLASSES = "/apis/node.k8s.io/v1/runtimeclasses"
_CONTAINERS = [{"name": "app", "image": "nginx"}]


@pytest.fixture
def runtime_class(client: httpx.Client) -> str:
    """The name of a RuntimeClass with overhead, a node selector and a toleration."""
    name = f"class-{uuid.uuid4().hex[:8]}"
    body = {
        "metadata": {"name": name},
        "handler": "gvisor",
        "overhead": {"podFixed": {"cpu": "250m"}},
        "scheduling": {
            "nodeSelector": {"sandbox": "yes"},
            "tolerations": [{"key": "sandbox", "operator": "Exists"}],
        },
    }
    client.post(_CLASSES, json=body).raise_for_status()
    return name


def _posted(client: httpx.Client, pods: str, **spec: Any) -> httpx.Response:
    return client.post(pods, json={"metadata": {"name": "web"}, "spec": {"containers": _CONTAINERS, **spec}})


def test_a_pod_takes_and_runs_where_its_class_says(client: httpx.Client, pods: str, runtime_class: str) -> None:
    spec = _posted(client, pods, runtimeClassName=runtime_class, nodeSelector={"a": "b"}).json()["spec"]
    assert spec["overhead"] == {"cpu": "250m"}
    assert spec["nodeSelector"] == {"a": "b", "sandbox": "yes"}
    assert spec["tolerations"][-1] == {"key": "sandbox", "operator": "Exists"}


def test_the_same_overhead_in_other_words_is_the_same(client: httpx.Client, pods: str, runtime_class: str) -> None:
    answer = _posted(client, pods, runtimeClassName=runtime_class, overhead={"cpu": "0.25"})
    assert answer.status_code == 201


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"overhead": {"cpu": "1"}}, "Pod's Overhead doesn't match RuntimeClass's defined Overhead"),
        (
            {"nodeSelector": {"sandbox": "no"}},
            "conflict: runtimeClass.scheduling.nodeSelector[sandbox] = yes; pod.spec.nodeSelector[sandbox] = no",
        ),
    ],
)
def test_a_pod_does_not_contradict_its_class(
    client: httpx.Client, pods: str, runtime_class: str, spec: dict[str, Any], why: str
) -> None:
    refused = _posted(client, pods, runtimeClassName=runtime_class, **spec)
    assert refused.status_code == 403
    assert why in refused.json()["message"]


@pytest.mark.parametrize("overhead", [{}, {"cpu": "1"}])
def test_an_overhead_comes_from_a_class(client: httpx.Client, pods: str, overhead: dict[str, str]) -> None:
    refused = _posted(client, pods, overhead=overhead)
    assert refused.status_code == 403
    assert "Pod Overhead set without corresponding RuntimeClass defined Overhead" in refused.text


_TAINT = Toleration(key="a", operator="Exists")
_EQUAL = Toleration(key="a", operator="Equal", value="1")
_SECONDS = Toleration(key="a", operator="Exists", effect="NoExecute", tolerationSeconds=5)
_MORE_SECONDS = Toleration(key="a", operator="Exists", effect="NoExecute", tolerationSeconds=9)
_ALL = Toleration(operator="Exists")


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ([_TAINT], [_TAINT], [_TAINT]),
        ([_EQUAL], [_TAINT], [_TAINT]),
        ([_SECONDS], [_MORE_SECONDS], [_MORE_SECONDS]),
        ([_TAINT, _SECONDS], [_ALL], [_ALL]),
        ([_EQUAL], [Toleration(key="a", value="2", operator="Equal")], None),
        ([_SECONDS], [Toleration(key="a", operator="Exists", effect="NoSchedule")], None),
    ],
)
def test_a_toleration_that_another_covers_is_dropped(
    first: list[Toleration], second: list[Toleration], merged: list[Toleration] | None
) -> None:
    assert merged_tolerations(first, second) == (first + second if merged is None else merged)
