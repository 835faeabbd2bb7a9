from collections.abc import Callable

import httpx
import pytest

PODS = "/api/v1/namespaces/{}/pods"
MAPS = "/api/v1/namespaces/{}/configmaps"


def status(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["message"]


@pytest.fixture
def maps(client: httpx.Client, namespace: str) -> str:
    """The URL path of three ConfigMaps: a, ab and b."""
    path = MAPS.format(namespace)
    for name in ("a", "ab", "b"):
        client.post(path, json={"metadata": {"name": name}}).raise_for_status()
    return path


@pytest.fixture
def names(client: httpx.Client) -> Callable[..., list[str]]:
    def get(path: str, **query: str) -> list[str]:
        return [item["metadata"]["name"] for item in client.get(path, params=query).json()["items"]]

    return get


def test_a_get_of_a_version_that_has_not_happened_times_out(client: httpx.Client, maps: str) -> None:
    answer = client.get(f"{maps}/a", params={"resourceVersion": "9000000000000"})
    assert (answer.status_code, answer.headers["retry-after"]) == (504, "1")
    assert answer.json()["message"].startswith("Timeout: Too large resource version: 9000000000000, current: ")


def test_options_are_checked_before_the_fields_of_a_selector(client: httpx.Client, maps: str) -> None:
    answer = client.get(maps, params={"resourceVersionMatch": "Exact", "fieldSelector": "spec.none=x"})
    assert answer.status_code == 422


def test_a_selector_is_parsed_before_options_are_checked(client: httpx.Client, maps: str) -> None:
    answer = client.delete(maps, params={"resourceVersionMatch": "Exact", "labelSelector": "a in"})
    assert answer.status_code == 400


def test_a_list_of_one_name_has_no_pages(client: httpx.Client, maps: str) -> None:
    answer = client.get(maps, params={"fieldSelector": "metadata.name=a", "limit": "1"}).json()
    assert [item["metadata"]["name"] for item in answer["items"]] == ["a"]
    assert list(answer["metadata"]) == ["resourceVersion"]


def test_a_list_of_one_name_obeys_the_other_selectors(maps: str, names: Callable[..., list[str]]) -> None:
    assert names(maps, fieldSelector="metadata.name=a", labelSelector="x=y") == []


def test_a_list_of_one_name_and_one_namespace_finds_it_in_the_cluster(
    maps: str, names: Callable[..., list[str]]
) -> None:
    namespace = maps.split("/")[4]
    selector = f"metadata.name=ab,metadata.namespace={namespace}"
    assert names("/api/v1/configmaps", fieldSelector=selector, limit="1") == ["ab"]


def test_a_list_of_one_name_shows_an_exact_version(
    client: httpx.Client, maps: str, names: Callable[..., list[str]]
) -> None:
    version = client.get(maps).json()["metadata"]["resourceVersion"]
    client.delete(f"{maps}/a").raise_for_status()
    query = {"fieldSelector": "metadata.name=a", "resourceVersion": version}
    assert names(maps, **query, resourceVersionMatch="Exact") == ["a"]
    assert names(maps, **query, limit="1") == []


def test_a_watch_from_the_present_excludes_continue(client: httpx.Client, maps: str) -> None:
    answer = client.get(maps, params={"watch": "1", "continue": "abc", "timeoutSeconds": "1"})
    assert status(answer)[0] == 422
    assert "resourceVersionMatch is forbidden when continue is provided" in status(answer)[1]


def test_a_deprecated_watch_takes_the_options_of_a_list(client: httpx.Client, maps: str) -> None:
    answer = client.get(maps.replace("/v1/", "/v1/watch/"), params={"sendInitialEvents": "true"})
    assert "sendInitialEvents is forbidden for list" in status(answer)[1]


@pytest.mark.parametrize("path", ["pods/a", "namespaces/x/pods/a/status", "namespaces/x/bindings", "nonsense"])
def test_what_cannot_be_watched_has_no_deprecated_address(client: httpx.Client, path: str) -> None:
    assert client.get(f"/api/v1/watch/{path}", params={"timeoutSeconds": "1"}).status_code == 404
