from typing import Any

import httpx
import pytest

NODE = "/api/v1/nodes/node-1"
DRAIN = "/memkube/v1/nodes/node-1/drain"
PODS = "/api/v1/namespaces/default/pods"


def spec(**fields: Any) -> dict[str, Any]:
    return {"nodeName": "node-1", "containers": [{"name": "app", "image": "nginx:1.27"}], **fields}


def pod(client: httpx.Client, name: str, **fields: Any) -> None:
    body = {"metadata": {"name": name, "labels": {"app": "web"}}, "spec": spec(**fields)}
    client.post(PODS, json=body).raise_for_status()
    advance(client, 10)


def workload(client: httpx.Client, plural: str, **fields: Any) -> None:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": spec()}
    body = {"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": labels}, "template": template, **fields}}
    client.post(f"/apis/apps/v1/namespaces/default/{plural}", json=body).raise_for_status()
    advance(client, 10)


def budget(client: httpx.Client, least: int) -> None:
    body = {"metadata": {"name": "web"}, "spec": {"minAvailable": least, "selector": {"matchLabels": {"app": "web"}}}}
    client.post("/apis/policy/v1/namespaces/default/poddisruptionbudgets", json=body).raise_for_status()
    advance(client, 1)


def advance(client: httpx.Client, seconds: float) -> None:
    client.post("/memkube/v1/clock/advance", json={"seconds": seconds}).raise_for_status()


def drain(client: httpx.Client, **options: bool) -> Any:
    return client.post(DRAIN, json=options).raise_for_status().json()


def test_an_empty_node_is_drained_and_cordoned(stepped: httpx.Client) -> None:
    assert drain(stepped)["drained"] is True
    assert stepped.get(NODE).json()["spec"]["unschedulable"] is True


def test_a_node_is_drained_when_its_evicted_pods_have_ended(stepped: httpx.Client) -> None:
    pod(stepped, "one")
    stepped.post("/memkube/v1/nodes/node-1/fail").raise_for_status()
    first = drain(stepped, force=True)
    assert (first["evicted"], first["terminating"], first["drained"]) == (["default/one"], [], False)
    second = drain(stepped, force=True)
    assert (second["evicted"], second["terminating"], second["drained"]) == ([], ["default/one"], False)
    stepped.post("/memkube/v1/nodes/node-1/recover").raise_for_status()
    assert drain(stepped, force=True)["drained"] is True


def test_pods_are_evicted_through_the_eviction_subresource(stepped: httpx.Client) -> None:
    pod(stepped, "one")
    stepped.post("/memkube/v1/nodes/node-1/fail").raise_for_status()
    drain(stepped, force=True)
    conditions = stepped.get(f"{PODS}/one").json()["status"]["conditions"]
    assert "EvictionByEvictionAPI" in [condition.get("reason") for condition in conditions]


def test_a_budget_blocks_the_eviction_that_it_does_not_allow(stepped: httpx.Client) -> None:
    pod(stepped, "one")
    pod(stepped, "two")
    budget(stepped, 1)
    state = drain(stepped, force=True)
    assert (state["evicted"], [one["name"] for one in state["blocked"]]) == (["default/one"], ["two"])
    refusal = "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget web "
    assert state["blocked"][0]["message"].startswith(refusal)
    stepped.delete("/apis/policy/v1/namespaces/default/poddisruptionbudgets/web").raise_for_status()
    assert drain(stepped, force=True)["evicted"] == ["default/two"]


def test_pods_of_daemon_sets_stay(stepped: httpx.Client) -> None:
    workload(stepped, "daemonsets")
    state = drain(stepped)
    assert (state["drained"], len(state["ignored"]), state["evicted"]) == (True, 1, [])


def test_pods_of_other_controllers_need_no_force(stepped: httpx.Client) -> None:
    workload(stepped, "replicasets", replicas=2)
    assert len(drain(stepped)["evicted"]) == 2


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, "Pods with local storage (use --delete-emptydir-data to override)"),
        ({"deleteEmptydirData": True}, "Pods that declare no controller (use --force to override)"),
        ({"force": True}, "Pods with local storage (use --delete-emptydir-data to override)"),
    ],
)
def test_a_pod_that_would_be_lost_is_not_evicted(stepped: httpx.Client, options: dict[str, bool], reason: str) -> None:
    pod(stepped, "one", volumes=[{"name": "data", "emptyDir": {}}])
    pod(stepped, "two", volumes=[{"name": "data", "emptyDir": {}}])
    answer = stepped.post(DRAIN, json=options)
    message = f'unable to drain node "node-1": cannot delete {reason}: default/one, default/two'
    assert (answer.status_code, answer.json()["message"]) == (409, message)
    assert stepped.get(NODE).json()["spec"]["unschedulable"] is True
    assert "deletionTimestamp" not in stepped.get(f"{PODS}/one").json()["metadata"]


def test_a_finished_pod_is_evicted_without_force(stepped: httpx.Client) -> None:
    pod(stepped, "one", volumes=[{"name": "data", "emptyDir": {}}])
    stepped.patch(
        f"{PODS}/one/status",
        json={"status": {"phase": "Succeeded"}},
        headers={"content-type": "application/merge-patch+json"},
    ).raise_for_status()
    assert drain(stepped)["evicted"] == ["default/one"]


def test_a_pod_of_a_deleted_daemon_set_needs_force(stepped: httpx.Client) -> None:
    # The garbage collector deletes the pod, whose owner does not exist. As the kubelet has stopped, the pod keeps
    # terminating.
    stepped.post("/memkube/v1/nodes/node-1/fail").raise_for_status()
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "web", "uid": "gone", "controller": True}
    body = {"metadata": {"name": "one", "ownerReferences": [owner]}, "spec": spec()}
    stepped.post(PODS, json=body).raise_for_status()
    answer = stepped.post(DRAIN)
    assert (answer.status_code, 'daemonsets.apps "web" not found: default/one' in answer.json()["message"]) == (
        409,
        True,
    )
    assert drain(stepped, force=True)["drained"] is False


def test_a_node_that_does_not_exist_cannot_be_drained(stepped: httpx.Client) -> None:
    answer = stepped.post("/memkube/v1/nodes/node-9/drain")
    assert (answer.status_code, answer.json()["message"]) == (404, 'nodes "node-9" not found')


def test_a_misspelt_option_is_refused(stepped: httpx.Client) -> None:
    answer = stepped.post(DRAIN, json={"forced": True})
    assert (answer.status_code, "did you mean 'force'" in answer.json()["message"]) == (422, True)
