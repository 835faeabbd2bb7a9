"""Responses to dry runs, which show the stored state but never change it."""

from typing import Any

import httpx
import pytest

DRY = {"dryRun": "All"}
SPEC = {"containers": [{"name": "app", "image": "nginx"}]}


def pod(**metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": "web", **metadata}, "spec": SPEC}


@pytest.fixture
def pods(client: httpx.Client, namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/pods"


@pytest.mark.parametrize("version", ["5", "abc"])
def test_a_dry_creation_keeps_the_version_that_it_was_given(client: httpx.Client, pods: str, version: str) -> None:
    answer = client.post(pods, params=DRY, json=pod(resourceVersion=version))
    assert (answer.status_code, answer.json()["metadata"]["resourceVersion"]) == (201, version)


@pytest.mark.parametrize(("version", "code"), [("5", 500), ("abc", 201), (str(2**64), 201)])
def test_a_creation_refuses_only_a_version_that_could_be_one(
    client: httpx.Client, pods: str, version: str, code: int
) -> None:
    assert client.post(pods, json=pod(resourceVersion=version)).status_code == code


def test_a_dry_update_keeps_the_self_link(client: httpx.Client, pods: str) -> None:
    client.post(pods, json=pod()).raise_for_status()
    answers = [client.put(f"{pods}/web", params=query, json=pod(selfLink="/x")).json() for query in (DRY, {})]
    assert [answer["metadata"].get("selfLink") for answer in answers] == ["/x", None]


@pytest.mark.parametrize(("query", "key"), [(DRY, " Key: /pods/"), ({}, " Key: /registry/pods/")])
def test_a_failed_precondition_names_the_key(client: httpx.Client, pods: str, query: dict[str, str], key: str) -> None:
    client.post(pods, json=pod()).raise_for_status()
    answer = client.put(f"{pods}/web", params=query, json=pod(uid="other"))
    assert answer.status_code == 409
    assert key in answer.json()["message"]
