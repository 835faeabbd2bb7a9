"""Empty values in a request that differ from absent ones."""

from typing import Any

import httpx
import pytest

CONTAINER = {"name": "app", "image": "nginx"}
STRATEGIC = {"Content-Type": "application/strategic-merge-patch+json"}


@pytest.fixture
def pods(client: httpx.Client, namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/pods"


def created(client: httpx.Client, pods: str, **spec: Any) -> str:
    pod = {"metadata": {"name": "web"}, "spec": {"containers": [CONTAINER], **spec}}
    client.post(pods, json=pod).raise_for_status()
    return f"{pods}/web"


def test_a_grpc_probe_asks_for_the_service_without_a_name(client: httpx.Client, pods: str) -> None:
    spec = {"containers": [{**CONTAINER, "livenessProbe": {"grpc": {"port": 90}}}]}
    answer = client.post(pods, json={"metadata": {"name": "web"}, "spec": spec}).json()
    assert answer["spec"]["containers"][0]["livenessProbe"]["grpc"] == {"port": 90, "service": ""}


def test_an_empty_preemption_policy_is_no_missing_one(client: httpx.Client, pods: str) -> None:
    url = created(client, pods)
    pod = {"metadata": {"name": "web"}, "spec": {"containers": [CONTAINER], "preemptionPolicy": ""}}
    assert "spec.preemptionPolicy: Required value" in client.put(url, json=pod).json()["message"]


@pytest.mark.parametrize("fields", [{"ports": []}, {"resizePolicy": []}, {"resources": {"limits": {}}}])
def test_ephemeral_containers_may_not_even_have_an_empty_list(
    client: httpx.Client, pods: str, fields: dict[str, Any]
) -> None:
    url = created(client, pods)
    patch = {"spec": {"ephemeralContainers": [{"name": "debug", "image": "busybox", **fields}]}}
    answer = client.patch(f"{url}/ephemeralcontainers", json=patch, headers=STRATEGIC).json()
    assert answer["details"]["causes"][0]["field"] == f"spec.ephemeralContainers[0].{next(iter(fields))}"


@pytest.mark.parametrize(("spec", "shown"), [({"nodeSelector": {}}, "{}"), ({}, "null")])
def test_a_node_selector_that_lost_its_labels_is_shown_as_it_was_given(
    client: httpx.Client, pods: str, spec: dict[str, Any], shown: str
) -> None:
    gates = [{"name": "a.b/c"}]
    url = created(client, pods, schedulingGates=gates, nodeSelector={"disk": "ssd"})
    pod = {"metadata": {"name": "web"}, "spec": {"containers": [CONTAINER], "schedulingGates": gates, **spec}}
    assert f"spec.nodeSelector: Invalid value: {shown}: only additions" in client.put(url, json=pod).json()["message"]
