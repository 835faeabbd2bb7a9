from typing import Any

import httpx
import pytest

TABLE = {"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}
MERGE = {"Content-Type": "application/merge-patch+json"}


@pytest.fixture
def pod(client: httpx.Client, namespace: str) -> str:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    pod = {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "app", "image": "nginx"}]}}
    client.post(pods, json=pod).raise_for_status()
    return f"{pods}/web"


@pytest.mark.parametrize(("part", "code"), [("status", 200), ("resize", 406), ("ephemeralcontainers", 406)])
def test_not_all_that_shows_a_pod_shows_a_table(client: httpx.Client, pod: str, part: str, code: int) -> None:
    assert client.get(f"{pod}/{part}", headers=TABLE).status_code == code
    assert client.patch(f"{pod}/{part}", json={}, headers={**TABLE, **MERGE}).status_code == code


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/eviction", {"metadata": {"name": "web"}}),
        ("/binding", {"metadata": {"name": "web"}, "target": {"name": "n"}}),
        ("/../../bindings", {"metadata": {"name": "web"}, "target": {"name": "n"}}),
    ],
)
def test_what_is_no_object_is_no_table(client: httpx.Client, pod: str, path: str, body: dict[str, Any]) -> None:
    address = f"{pod}{path}".replace("/pods/web/../../", "/")
    assert client.post(address, json=body, headers=TABLE).status_code == 406
    assert client.get(pod).json()["metadata"].get("deletionTimestamp") is None


def test_the_log_is_no_table_of_a_pod(client: httpx.Client, pod: str) -> None:
    assert client.get(f"{pod}/log", headers=TABLE).status_code == 406


def test_the_version_is_refused_in_yaml_to_who_asks_for_that(client: httpx.Client) -> None:
    answer = client.get("/version", headers={"Accept": "application/yaml"})
    assert (answer.status_code, answer.headers["content-type"]) == (406, "application/yaml")


def test_the_status_of_a_claim_shows_no_table(client: httpx.Client, namespace: str) -> None:
    claims = f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims"
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}
    claim = {"metadata": {"name": "a"}, "spec": {"devices": {"requests": [request]}}}
    client.post(claims, json=claim).raise_for_status()
    assert client.get(f"{claims}/a", headers=TABLE).status_code == 200
    assert client.get(f"{claims}/a/status", headers=TABLE).status_code == 406


def test_the_list_of_events_of_the_other_group_has_the_internal_type_of_core(client: httpx.Client) -> None:
    accept = {"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}
    answer = client.get("/apis/events.k8s.io/v1/namespaces/default/events", headers=accept)
    assert answer.json()["message"].endswith("the requested object is a list (*core.EventList)")
