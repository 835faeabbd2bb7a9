from typing import Any

import httpx

PODS = "/api/v1/namespaces/default/pods"


def pod(name: str, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "app", "image": "nginx"}], **spec}}


def explained(client: httpx.Client, **spec: Any) -> dict[str, Any]:
    client.post(PODS, json=pod("web", **spec)).raise_for_status()
    client.post("/memkube/v1/clock/advance", json={"seconds": 1}).raise_for_status()
    answer: dict[str, Any] = client.get("/memkube/v1/scheduling/default/web").raise_for_status().json()
    return answer


def test_a_scheduled_pod_is_explained_as_if_it_had_no_node(stepped: httpx.Client) -> None:
    found = explained(stepped)
    assert found["node"] == found["choice"] == "node-1"
    assert [(node["name"], node["fits"]) for node in found["nodes"]] == [("node-1", True), ("node-2", True)]


def test_all_plugins_that_reject_a_node_are_named(stepped: httpx.Client) -> None:
    stepped.patch(
        "/api/v1/nodes/node-1",
        json={"spec": {"unschedulable": True}},
        headers={"Content-Type": "application/merge-patch+json"},
    ).raise_for_status()
    found = explained(stepped, nodeSelector={"disk": "fast"})
    assert [[one["plugin"] for one in node["rejections"]] for node in found["nodes"]] == [
        ["NodeUnschedulable", "TaintToleration", "NodeAffinity"],
        ["NodeAffinity"],
    ]


def test_the_message_is_that_of_the_event(stepped: httpx.Client) -> None:
    found = explained(stepped, nodeSelector={"disk": "fast"})
    assert found["choice"] == ""
    status = stepped.get(f"{PODS}/web").json()["status"]
    assert status["conditions"][0]["message"].startswith(found["message"])
    assert found["message"] == "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."


def test_scores_decide_between_nodes(stepped: httpx.Client) -> None:
    term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-2"]}]}
    preferred = [{"weight": 50, "preference": term}]
    found = explained(
        stepped, affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    )
    assert found["choice"] == "node-2"
    scores = {one["plugin"]: one["score"] for one in found["nodes"][1]["scores"]}
    assert scores["NodeAffinity"] == 200


def test_an_explanation_leaves_the_counts_of_the_cluster_alone(stepped: httpx.Client) -> None:
    first = explained(stepped, containers=[{"name": "a", "image": "a", "ports": [{"containerPort": 1, "hostPort": 1}]}])
    assert stepped.get("/memkube/v1/scheduling/default/web").json() == first
    other = pod("other", containers=[{"name": "a", "image": "a", "ports": [{"containerPort": 1, "hostPort": 1}]}])
    stepped.post(PODS, json=other).raise_for_status()
    stepped.post("/memkube/v1/clock/advance", json={"seconds": 1}).raise_for_status()
    assert stepped.get("/memkube/v1/scheduling/default/other").json()["node"] == "node-2"


def test_a_pod_that_does_not_exist_is_404(stepped: httpx.Client) -> None:
    answer = stepped.get("/memkube/v1/scheduling/default/nobody")
    assert (answer.status_code, answer.json()["message"]) == (404, 'pods "nobody" not found')


def test_without_the_scheduler_nothing_is_explained(client: httpx.Client) -> None:
    client.post(PODS, json=pod("web")).raise_for_status()
    answer = client.get("/memkube/v1/scheduling/default/web")
    assert (answer.status_code, answer.json()["reason"]) == (501, "NotImplemented")
