import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from memkube.endpoints.handlers.watching import next_bookmark
from memkube.server.server import Server
from memkube.server.settings import Settings

PARTIAL = "application/json;as={};v=v1;g=meta.k8s.io"
END = {"k8s.io/initial-events-end": "true"}


@pytest.fixture
def events(client: httpx.Client, namespace: str) -> Callable[..., list[Any]]:
    """Return a function that watches a namespace's ConfigMaps for a second. The namespace has one ConfigMap."""
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    client.post(path, json={"metadata": {"name": "a"}}).raise_for_status()

    def watch(accept: str = "application/json", **query: str) -> list[Any]:
        query = {"watch": "1", "timeoutSeconds": "1", **query}
        answer = client.get(path, params=query, headers={"accept": accept}).raise_for_status()
        return [json.loads(line) for line in answer.text.splitlines() if "kube-root-ca.crt" not in line]

    return watch


@pytest.mark.parametrize("version", ["", "0"])
def test_a_watch_from_the_present_with_bookmarks_is_told_where_initial_events_end(
    events: Callable[..., list[Any]], version: str
) -> None:
    added, bookmark = events(resourceVersion=version, allowWatchBookmarks="true")
    assert (added["type"], bookmark["type"]) == ("ADDED", "BOOKMARK")
    assert bookmark["object"]["metadata"]["annotations"] == END


def test_a_bookmark_in_a_table_is_a_row(events: Callable[..., list[Any]]) -> None:
    bookmark = events(PARTIAL.format("Table"), allowWatchBookmarks="true")[-1]
    assert bookmark["object"]["columnDefinitions"] is None
    (row,) = bookmark["object"]["rows"]
    assert row["cells"] == ["", 0, "<unknown>"]
    assert row["object"]["kind"] == "PartialObjectMetadata"
    assert row["object"]["metadata"]["annotations"] == END


def test_the_row_of_a_last_initial_bookmark_has_metadata_though_no_object_is_included(
    events: Callable[..., list[Any]],
) -> None:
    added, bookmark = events(PARTIAL.format("Table"), allowWatchBookmarks="true", includeObject="None")
    assert added["object"]["rows"][0]["object"] is None
    assert bookmark["object"]["rows"][0]["object"]["metadata"]["annotations"] == END


def test_a_watch_of_metadata_as_lists_ends_at_once(events: Callable[..., list[Any]]) -> None:
    assert events(PARTIAL.format("PartialObjectMetadataList")) == []


@pytest.mark.parametrize(
    ("now", "deadline", "expected"),
    [(0, 3600, 60), (0, 10, 8), (3590, 3600, 3598), (3598, 3600, None), (0, 1, None)],
)
def test_bookmarks_come_every_minute_and_before_the_end(now: int, deadline: int, expected: int | None) -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    found = next_bookmark(at + timedelta(seconds=now), at + timedelta(seconds=deadline))
    assert found == (None if expected is None else at + timedelta(seconds=expected))


def test_the_last_bookmark_is_sent_although_the_server_sees_that_it_is_due_only_after_the_end() -> None:
    # Between the bookmark and the end of the watch are two seconds of the clock, and 20 microseconds of real time.
    with Server(Settings(controllers=(), clock="x100000")).in_thread() as server:
        query = {"watch": "1", "timeoutSeconds": "50", "resourceVersion": "1", "allowWatchBookmarks": "true"}
        events = httpx.get(f"{server.url}/api/v1/secrets", params=query, trust_env=False).text.splitlines()
    assert [json.loads(event)["type"] for event in events] == ["BOOKMARK"]


@pytest.mark.parametrize(
    ("path", "part", "values"),
    [
        ("apps/v1/deployments", "spec", {"replicas": 0}),
        ("apps/v1/replicasets", "spec", {"replicas": 0}),
        ("apps/v1/statefulsets", "spec", {"replicas": 0}),
        ("apps/v1/daemonsets", "metadata", {"deprecated.daemonset.template.generation": "0"}),
        ("certificates.k8s.io/v1/certificatesigningrequests", "spec", {"request": None}),
    ],
)
def test_a_bookmark_has_the_fields_of_a_converted_empty_object(
    client: httpx.Client, path: str, part: str, values: dict[str, Any]
) -> None:
    initial = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
    selector = {"labelSelector": "none=such"}
    with client.stream("GET", f"/apis/{path}", params={"watch": "true", **selector, **initial}) as events:
        bookmark = json.loads(next(events.iter_lines()))
    assert bookmark["type"] == "BOOKMARK"
    found = bookmark["object"][part]
    assert values.items() <= (found["annotations"] if part == "metadata" else found).items()
