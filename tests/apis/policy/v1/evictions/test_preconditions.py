from typing import Any

import httpx
import pytest

POD = {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "app", "image": "nginx"}]}}


def evicted(client: httpx.Client, namespace: str, preconditions: dict[str, Any]) -> tuple[int, list[str]]:
    """Evict a pod. Return the status code, and the types of the pod's conditions after the eviction."""
    pods = f"/api/v1/namespaces/{namespace}/pods"
    client.post(pods, json=POD).raise_for_status()
    eviction = {"metadata": {"name": "web"}, "deleteOptions": {"preconditions": preconditions}}
    answer = client.post(f"{pods}/web/eviction", json=eviction)
    left = client.get(f"{pods}/web").json()
    conditions = left["status"].get("conditions", []) if left["kind"] == "Pod" else []
    return answer.status_code, [condition["type"] for condition in conditions]


def test_an_empty_uid_stops_the_deletion_but_not_the_mark(client: httpx.Client, namespace: str) -> None:
    assert evicted(client, namespace, {"uid": ""}) == (409, ["DisruptionTarget"])


@pytest.mark.parametrize("preconditions", [{"uid": "other"}, {"resourceVersion": "1"}])
def test_another_pod_is_not_even_marked(client: httpx.Client, namespace: str, preconditions: dict[str, Any]) -> None:
    assert evicted(client, namespace, preconditions) == (409, [])


def test_an_empty_version_is_replaced_by_the_version_of_the_mark(client: httpx.Client, namespace: str) -> None:
    assert evicted(client, namespace, {"resourceVersion": ""}) == (201, [])
