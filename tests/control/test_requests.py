from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from memkube.server.server import Server

LOG = "/memkube/v1/requests"
MAPS = "/api/v1/namespaces/default/configmaps"
RULES = "/apis/admissionregistration.k8s.io/v1"


@pytest.fixture
def client(server: Server, client: httpx.Client) -> httpx.Client:
    client.delete(LOG).raise_for_status()
    return client


def test_a_request_is_told(client: httpx.Client) -> None:
    client.post(MAPS, params={"dryRun": "All"}, json={"metadata": {"name": "a"}}, headers={"user-agent": "me/1"})
    answer = client.get(LOG, params={"verb": "create", "client": "me"}).json()
    (item,) = answer["items"]
    assert (item["code"], item["dryRun"], item["fieldManager"], item["body"]) == (
        201,
        True,
        "me",
        {"metadata": {"name": "a"}},
    )
    assert item["number"] == answer["answered"]


def test_the_control_api_is_not_logged(client: httpx.Client) -> None:
    client.get("/memkube/v1/clock", headers={"user-agent": "me/1"})
    client.get(LOG, headers={"user-agent": "me/1"})
    assert client.get(LOG, params={"client": "me"}).json()["items"] == []


def test_counts_are_by_client_and_verb(client: httpx.Client) -> None:
    for _ in range(3):
        client.get(MAPS, headers={"user-agent": "me/1"})
    assert client.get(f"{LOG}/counts", params={"client": "me"}).json() == {"clients": {"me": {"list": 3}}}


def test_a_query_that_is_not_known_is_refused(client: httpx.Client) -> None:
    assert client.get(LOG, params={"verbs": "get"}).status_code == 422
    assert client.delete(LOG, params={"agent": "me"}).status_code == 422


def test_it_waits_for_the_next_request(server: Server, client: httpx.Client) -> None:
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(client.get, LOG, params={"verb": "list", "waitSeconds": "20"})
        with httpx.Client(base_url=server.url, trust_env=False) as other:
            other.get(f"{MAPS}/a")
            other.get(MAPS)
        assert [item["verb"] for item in waiting.result().json()["items"]] == ["list"]


def test_audit_annotations_of_a_policy_are_told(client: httpx.Client, namespace: str) -> None:
    name = f"{namespace}.example.com"
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "auditAnnotations": [{"key": "seen", "valueExpression": "'name ' + object.metadata.name"}],
    }
    here = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}}
    bound = {"policyName": name, "validationActions": ["Audit"], "matchResources": here}
    for plural, made in (("validatingadmissionpolicies", spec), ("validatingadmissionpolicybindings", bound)):
        client.post(f"{RULES}/{plural}", json={"metadata": {"name": name}, "spec": made}).raise_for_status()
    client.post(f"/api/v1/namespaces/{namespace}/configmaps", json={"metadata": {"name": "a"}}).raise_for_status()
    (item,) = client.get(LOG, params={"resource": "configmaps", "namespace": namespace}).json()["items"]
    assert item["auditAnnotations"] == {f"{name}/seen": "name a"}
