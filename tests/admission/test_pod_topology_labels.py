import uuid

import httpx
import pytest

_ZONE, _REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
_SPEC = {"containers": [{"name": "app", "image": "nginx"}]}


@pytest.fixture
def node(client: httpx.Client) -> str:
    """The name of a new node with a zone label and a region label."""
    name = f"node-{uuid.uuid4().hex[:6]}"
    labels = {_ZONE: "a", _REGION: "here", "other": "x"}
    client.post("/api/v1/nodes", json={"metadata": {"name": name, "labels": labels}}).raise_for_status()
    return name


def test_a_bound_pod_gets_the_zone_of_its_node(client: httpx.Client, pods: str, node: str) -> None:
    body = {"metadata": {"name": "web", "labels": {_ZONE: "b", "own": "y"}}, "spec": _SPEC}
    client.post(pods, json=body).raise_for_status()
    binding = {"metadata": {"name": "web"}, "target": {"kind": "Node", "name": node}}
    client.post(f"{pods}/web/binding", json=binding).raise_for_status()
    assert client.get(f"{pods}/web").json()["metadata"]["labels"] == {_ZONE: "a", _REGION: "here", "own": "y"}


def test_a_pod_that_has_a_node_at_once_gets_them_too(client: httpx.Client, pods: str, node: str) -> None:
    created = client.post(pods, json={"metadata": {"name": "web"}, "spec": {**_SPEC, "nodeName": node}})
    assert created.json()["metadata"]["labels"] == {_ZONE: "a", _REGION: "here"}


def test_a_node_that_is_not_there_has_no_zone(client: httpx.Client, pods: str) -> None:
    created = client.post(pods, json={"metadata": {"name": "web"}, "spec": {**_SPEC, "nodeName": "none"}})
    assert "labels" not in created.json()["metadata"]
