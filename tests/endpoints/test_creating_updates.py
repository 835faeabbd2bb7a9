from typing import Any

import httpx
import pytest

APPLY = {"Content-Type": "application/apply-patch+yaml"}


@pytest.fixture
def leases(namespace: str) -> str:
    return f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"


def _lease(**metadata: str) -> dict[str, Any]:
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a", **metadata}}


def test_an_object_that_is_to_have_a_uid_is_not_created(client: httpx.Client, leases: str) -> None:
    answer = client.put(f"{leases}/a", json=_lease(uid="1"))
    assert answer.status_code == 409
    assert answer.json()["message"].endswith("UID in precondition: 1, UID in object meta: ")


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("version", ["x", "-1"])
def test_a_version_that_is_none_is_told_of(client: httpx.Client, leases: str, method: str, version: str) -> None:
    query = {"fieldManager": "me"}
    headers = APPLY if method == "PATCH" else {}
    answer = client.request(method, f"{leases}/a", json=_lease(resourceVersion=version), params=query, headers=headers)
    assert answer.status_code == 500
    assert answer.json()["message"] == f'strconv.ParseUint: parsing "{version}": invalid syntax'


@pytest.mark.parametrize(("query", "version"), [({"dryRun": "All"}, "1"), ({}, "")])
def test_only_a_dry_run_shows_the_version_that_was_asked_for(
    client: httpx.Client, leases: str, query: dict[str, str], version: str
) -> None:
    answer = client.put(f"{leases}/a", json=_lease(resourceVersion="1"), params=query).json()
    assert (answer["metadata"]["resourceVersion"] == "1") is bool(version)


@pytest.mark.parametrize(
    ("plural", "key"), [("pods", "pods"), ("replicationcontrollers", "controllers"), ("secrets", "secrets")]
)
def test_a_refusal_names_the_key_of_old(client: httpx.Client, namespace: str, plural: str, key: str) -> None:
    collection = f"/api/v1/namespaces/{namespace}/{plural}"
    pod = {"containers": [{"name": "app", "image": "nginx"}]}
    spec = pod if plural == "pods" else {"template": {"metadata": {"labels": {"a": "b"}}, "spec": pod}}
    body: dict[str, Any] = {"metadata": {"name": "a"}} | ({} if plural == "secrets" else {"spec": spec})
    client.post(collection, json=body).raise_for_status()
    body["metadata"]["uid"] = "other"
    assert f"Key: /registry/{key}/{namespace}/a," in client.put(f"{collection}/a", json=body).json()["message"]


def test_a_service_that_its_status_creates_has_no_address(client: httpx.Client, namespace: str) -> None:
    address = f"/api/v1/namespaces/{namespace}/services/a"
    service = {"metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}]}}
    answer = client.put(f"{address}/status", json=service)
    assert answer.status_code == 201
    assert not answer.json()["spec"].keys() & {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}


def test_no_address_is_allocated_to_a_service_that_its_status_creates(client: httpx.Client, namespace: str) -> None:
    address = f"/api/v1/namespaces/{namespace}/services/a"
    service = {"metadata": {"name": "a"}, "spec": {"clusterIP": "None", "ports": [{"port": 80}]}}
    answer = client.put(f"{address}/status", json=service)
    assert answer.status_code == 422
    assert answer.json()["message"] == 'Service "a" is invalid: spec.clusterIPs: Required value'
