"""Events, which kube-apiserver reads from etcd itself and not from its watch cache, which has rules of its own."""

import json

import httpx
import pytest

import memkube

FUTURE = "9000000000000"
CORE, GROUP = "/api/v1/namespaces/{}/events", "/apis/events.k8s.io/v1/namespaces/{}/events"
MAPS = "/api/v1/namespaces/{}/configmaps"


@pytest.fixture
def filled(client: httpx.Client, namespace: str) -> str:
    """A namespace with three events and three ConfigMaps."""
    for name in "abc":
        involved = {"kind": "Pod", "namespace": namespace, "name": "web"}
        event = {"metadata": {"name": name}, "involvedObject": involved}
        client.post(CORE.format(namespace), json=event).raise_for_status()
        client.post(MAPS.format(namespace), json={"metadata": {"name": name}}).raise_for_status()
    return namespace


@pytest.mark.parametrize(("path", "expected"), [(CORE, 2), (GROUP, 2), (MAPS, 3)])
def test_the_oldest_state_has_pages_only_without_a_cache(
    client: httpx.Client, filled: str, path: str, expected: int
) -> None:
    page = client.get(path.format(filled), params={"resourceVersion": "0", "limit": "2"}).json()
    assert len(page["items"]) == expected
    assert bool(page["metadata"].get("continue")) == (expected == 2)


@pytest.mark.parametrize(
    ("path", "query", "told"),
    [
        (CORE, {}, None),
        (GROUP, {}, None),
        (CORE, {"limit": "2"}, None),
        (MAPS, {}, "1"),
        (MAPS, {"limit": "2"}, "1"),
        (MAPS, {"resourceVersionMatch": "Exact"}, "1"),
        (MAPS, {"resourceVersionMatch": "Exact", "fieldSelector": "metadata.name=a"}, None),
        (MAPS, {"limit": "2", "fieldSelector": "metadata.name=a"}, None),
        (MAPS, {"resourceVersionMatch": "NotOlderThan", "limit": "2"}, "1"),
    ],
)
def test_only_a_cache_says_when_to_ask_for_the_future_again(
    client: httpx.Client, filled: str, path: str, query: dict[str, str], told: str | None
) -> None:
    answer = client.get(path.format(filled), params={"resourceVersion": FUTURE, **query})
    assert (answer.status_code, answer.headers.get("retry-after")) == (504, told)
    assert answer.json()["details"].get("retryAfterSeconds") == (told and int(told))


@pytest.mark.parametrize(("path", "told"), [(CORE, None), (GROUP, None), (MAPS, "1")])
def test_a_get_from_the_future_is_told_so_too(client: httpx.Client, filled: str, path: str, told: str | None) -> None:
    answer = client.get(f"{path.format(filled)}/a", params={"resourceVersion": FUTURE})
    assert (answer.status_code, answer.headers.get("retry-after")) == (504, told)


@pytest.mark.parametrize(("path", "told"), [(CORE, ["ADDED"]), (GROUP, ["ADDED"]), (MAPS, ["BOOKMARK", "ADDED"])])
def test_only_a_cache_has_bookmarks(path: str, told: list[str]) -> None:
    made = {"metadata": {"name": "a"}, "involvedObject": {"namespace": "default"}}
    with memkube.Memkube(nodes=0, clock="stepped") as kube, httpx.Client(base_url=kube.url, trust_env=False) as client:
        query = {"watch": "1", "allowWatchBookmarks": "1", "resourceVersion": str(kube.revision())}
        with client.stream("GET", path.format("default"), params=query) as answer:
            kube.clock.advance(90)
            client.post((MAPS if path == MAPS else CORE).format("default"), json=made).raise_for_status()
            lines = answer.iter_lines()
            assert [json.loads(next(lines))["type"] for _ in told] == told


@pytest.mark.parametrize(
    ("path", "message"),
    [(CORE, "The resourceVersion for the provided watch is too old."), (MAPS, "too old resource version: 1 (")],
)
def test_a_watch_of_forgotten_history_is_told_so_in_the_words_of_its_source(path: str, message: str) -> None:
    with memkube.Memkube(nodes=0) as kube, httpx.Client(base_url=kube.url, trust_env=False) as client:
        kube.faults.compact_history()
        query = {"watch": "1", "timeoutSeconds": "1", "resourceVersion": "1"}
        event = client.get(path.format("default"), params=query).json()
    assert event["object"]["message"].startswith(message)
