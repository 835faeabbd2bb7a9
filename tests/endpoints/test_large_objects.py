from typing import Any

import httpx
import pytest


def pod(size: int) -> dict[str, object]:
    container = {"name": "app", "image": "nginx", "args": ["x" * size]}
    return {"metadata": {"name": "a"}, "spec": {"containers": [container]}}


@pytest.mark.parametrize(
    ("size", "code", "message"),
    [
        (3 << 19, 500, "etcdserver: request is too large"),
        (3 << 20, 413, "Request entity too large: limit is 3145728"),
    ],
)
def test_an_object_that_is_too_large_is_refused(
    client: httpx.Client, namespace: str, size: int, code: int, message: str
) -> None:
    answer = client.post(f"/api/v1/namespaces/{namespace}/pods", json=pod(size))
    assert (answer.status_code, answer.json()["message"]) == (code, message)


def test_a_large_object_is_no_burden_to_a_dry_run(client: httpx.Client, namespace: str) -> None:
    answer = client.post(f"/api/v1/namespaces/{namespace}/pods", params={"dryRun": "All"}, json=pod(3 << 19))
    assert answer.status_code == 201


def test_white_space_is_not_stored(client: httpx.Client, namespace: str) -> None:
    text = b'{"metadata":{"name":"a"}}' + b" " * (2 << 20)
    answer = client.post(
        f"/api/v1/namespaces/{namespace}/configmaps", content=text, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 201


def config_map(keys: int) -> dict[str, Any]:
    """Return a ConfigMap whose managedFields are about as large as its data."""
    data = {f"{number:020}": "" for number in range(keys)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}


def test_a_creation_does_without_managed_fields_that_make_it_too_large(client: httpx.Client, namespace: str) -> None:
    answer = client.post(f"/api/v1/namespaces/{namespace}/configmaps", json=config_map(30_000))
    assert (answer.status_code, "managedFields" in answer.json()["metadata"]) == (201, False)


def test_a_replacement_does_without_them_too(client: httpx.Client, namespace: str) -> None:
    address = f"/api/v1/namespaces/{namespace}/configmaps"
    client.post(address, json=config_map(1)).raise_for_status()
    answer = client.put(f"{address}/a", json=config_map(30_000))
    assert (answer.status_code, "managedFields" in answer.json()["metadata"]) == (200, False)


def test_a_patch_does_without_them_too(client: httpx.Client, namespace: str) -> None:
    address = f"/api/v1/namespaces/{namespace}/configmaps"
    client.post(address, json=config_map(1)).raise_for_status()
    headers = {"content-type": "application/merge-patch+json"}
    answer = client.patch(f"{address}/a", json=config_map(30_000), headers=headers)
    assert (answer.status_code, "managedFields" in answer.json()["metadata"]) == (200, False)


def test_what_is_applied_needs_its_managed_fields(client: httpx.Client, namespace: str) -> None:
    address = f"/api/v1/namespaces/{namespace}/configmaps/a"
    headers = {"content-type": "application/apply-patch+yaml"}
    answer = client.patch(address, params={"fieldManager": "me"}, json=config_map(30_000), headers=headers)
    assert (answer.status_code, answer.json()["message"]) == (500, "etcdserver: request is too large")
