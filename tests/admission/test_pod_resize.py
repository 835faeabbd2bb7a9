import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest

_PATCH = {"Content-Type": "application/strategic-merge-patch+json"}
_AMOUNTS = {"cpu": "1", "memory": "1Gi"}


def _container(cpu: str = "1", memory: str = "1Gi", name: str = "app") -> dict[str, Any]:
    return {"name": name, "image": "nginx", "resources": {"requests": {"cpu": cpu, "memory": memory}}}


@pytest.fixture
def make_node(client: httpx.Client) -> Callable[..., str]:
    """Return a function that creates a node with four cores and 8 GiB, and returns the node's name."""

    def make(*features: str, **labels: str) -> str:
        name = f"node-{uuid.uuid4().hex[:6]}"
        body = {"metadata": {"name": name, "labels": {f"kubernetes.io/{k}": v for k, v in labels.items()}}}
        client.post("/api/v1/nodes", json=body).raise_for_status()
        amounts = {"cpu": "4", "memory": "8Gi"}
        status = {"allocatable": amounts, "capacity": amounts, "declaredFeatures": list(features)}
        answer = client.patch(f"/api/v1/nodes/{name}/status", json={"status": status}, headers=_PATCH)
        answer.raise_for_status()
        return name

    return make


def _resized(client: httpx.Client, pods: str, before: dict[str, Any], after: dict[str, Any]) -> httpx.Response:
    pod = {"metadata": {"name": "web"}, "spec": {"containers": [_container()], **before}}
    client.post(pods, json=pod).raise_for_status()
    return client.patch(f"{pods}/web/resize", json={"spec": after}, headers=_PATCH)


@pytest.mark.parametrize(
    ("cpu", "memory", "missing"),
    [
        ("4500m", "1Gi", "cpu, requested: 4500, allocatable: 4000"),
        ("2", "9Gi", "memory, requested: 9663676416, allocatable: 8589934592"),
        (
            "5",
            "9Gi",
            "cpu, requested: 5000, allocatable: 4000; memory, requested: 9663676416, allocatable: 8589934592",
        ),
    ],
)
def test_a_pod_does_not_outgrow_its_node(
    client: httpx.Client, pods: str, make_node: Callable[..., str], cpu: str, memory: str, missing: str
) -> None:
    refused = _resized(client, pods, {"nodeName": make_node()}, {"containers": [_container(cpu, memory)]})
    assert refused.status_code == 403
    why = f"node didn't have enough allocatable resources: {missing}"
    assert refused.json()["message"] == f'pods "web" is forbidden: {why}'
    assert refused.json()["details"]["causes"] == [{"reason": "NodeCapacity"}]


def test_a_pod_grows_up_to_its_node(client: httpx.Client, pods: str, make_node: Callable[..., str]) -> None:
    resized = _resized(client, pods, {"nodeName": make_node()}, {"containers": [_container("4", "8Gi")]})
    assert resized.status_code == 200


def test_what_other_containers_need_is_counted(client: httpx.Client, pods: str, make_node: Callable[..., str]) -> None:
    sidecar = {**_container(name="side"), "restartPolicy": "Always"}
    before = {"nodeName": make_node(), "initContainers": [sidecar]}
    refused = _resized(client, pods, before, {"containers": [_container("3500m")]})
    assert "cpu, requested: 4500, allocatable: 4000" in refused.json()["message"]


def test_other_platforms_cannot_resize(client: httpx.Client, pods: str, make_node: Callable[..., str]) -> None:
    node = make_node(os="windows")
    refused = _resized(client, pods, {"nodeName": node}, {"containers": [_container("2")]})
    why = f'pod resize is only supported on linux nodes, node "{node}" is "windows"'
    assert refused.json()["message"] == f'pods "web" is forbidden: {why}'
    assert refused.json()["details"]["causes"] == [{"reason": "UnsupportedPlatform"}]


def test_a_node_that_is_not_there_resizes_nothing(client: httpx.Client, pods: str) -> None:
    refused = _resized(client, pods, {"nodeName": "none"}, {"containers": [_container("2")]})
    assert refused.json()["message"] == 'pods "web" is forbidden: node "none" not found'
    assert "causes" not in refused.json()["details"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"nodeName": "none"}, {"containers": [_container()]}),
        ({}, {"containers": [_container("99")]}),
    ],
)
def test_pods_that_do_not_change_or_have_no_node_are_not_looked_at(
    client: httpx.Client, pods: str, before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert _resized(client, pods, before, after).status_code == 200


_INIT = {"initContainers": [_container(name="init")]}
_LARGER_INIT = {"initContainers": [_container("2", name="init")]}
_WHOLE = {"resources": {"requests": _AMOUNTS}}
_LARGER_WHOLE = {"resources": {"requests": {**_AMOUNTS, "cpu": "2"}}}
_OF_INIT = "InPlacePodVerticalScalingInitContainers"
_OF_WHOLE = "InPlacePodLevelResourcesVerticalScaling"


@pytest.mark.parametrize(
    ("features", "before", "after", "lacking"),
    [
        ((), _INIT, _LARGER_INIT, _OF_INIT),
        ((), _WHOLE, _LARGER_WHOLE, _OF_WHOLE),
        ((), {**_INIT, **_WHOLE}, {**_LARGER_INIT, **_LARGER_WHOLE}, f"{_OF_WHOLE}, {_OF_INIT}"),
        ((_OF_WHOLE,), {**_INIT, **_WHOLE}, {**_LARGER_INIT, **_LARGER_WHOLE}, _OF_INIT),
    ],
)
def test_a_node_does_only_what_it_has_declared(
    client: httpx.Client,
    pods: str,
    make_node: Callable[..., str],
    features: tuple[str, ...],
    before: dict[str, Any],
    after: dict[str, Any],
    lacking: str,
) -> None:
    node = make_node(*features)
    refused = _resized(client, pods, {"nodeName": node, **before}, after)
    why = f'pod update requires features {lacking} which are not available on node "{node}"'
    assert refused.json()["message"] == f'pods "web" is forbidden: {why}'


@pytest.mark.parametrize(("before", "after"), [(_INIT, _LARGER_INIT), (_WHOLE, _LARGER_WHOLE)])
def test_a_node_does_what_it_has_declared(
    client: httpx.Client, pods: str, make_node: Callable[..., str], before: dict[str, Any], after: dict[str, Any]
) -> None:
    node = make_node(_OF_WHOLE, _OF_INIT)
    assert _resized(client, pods, {"nodeName": node, **before}, after).status_code == 200


def test_sidecars_need_no_feature(client: httpx.Client, pods: str, make_node: Callable[..., str]) -> None:
    before, after = (
        {"initContainers": [{**c, "restartPolicy": "Always"}]}
        for c in (_container(name="init"), _container("2", name="init"))
    )
    assert _resized(client, pods, {"nodeName": make_node(), **before}, after).status_code == 200
