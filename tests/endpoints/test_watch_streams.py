import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

from memkube.server.server import Server
from memkube.server.settings import Settings


@pytest.fixture
def config_maps(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps"


def _create(client: httpx.Client, collection: str, name: str, **labels: str) -> str:
    """Create an object, and return its resourceVersion."""
    answer = client.post(collection, json={"metadata": {"name": name, "labels": labels}}).raise_for_status()
    version: str = answer.json()["metadata"]["resourceVersion"]
    return version


def _version(client: httpx.Client, collection: str) -> str:
    version: str = client.get(collection).json()["metadata"]["resourceVersion"]
    return version


@contextmanager
def _watching(client: httpx.Client, collection: str, **query: str) -> Iterator[Iterator[dict[str, Any]]]:
    """Yield the events of a watch as they arrive."""
    with client.stream("GET", collection, params={"watch": "true", **query}) as answer:
        assert answer.status_code == 200
        yield (json.loads(line) for line in answer.iter_lines())


def _named(event: dict[str, Any]) -> tuple[str, str]:
    return event["type"], event["object"]["metadata"]["name"]


def test_a_watch_without_a_version_begins_with_what_there_is(client: httpx.Client, config_maps: str) -> None:
    _create(client, config_maps, "a")
    with _watching(client, config_maps) as events:
        assert _named(next(events)) == ("ADDED", "a")
        _create(client, config_maps, "b")
        assert _named(next(events)) == ("ADDED", "b")


def test_events_are_lines_of_json_that_come_at_once(client: httpx.Client, config_maps: str) -> None:
    with _watching(client, config_maps, resourceVersion=_version(client, config_maps)) as events:
        _create(client, config_maps, "a")
        assert _named(next(events)) == ("ADDED", "a")
        client.patch(
            f"{config_maps}/a", content=b'{"data":{"b":"c"}}', headers={"Content-Type": "application/merge-patch+json"}
        )
        assert _named(next(events)) == ("MODIFIED", "a")
        client.delete(f"{config_maps}/a")
        assert _named(next(events)) == ("DELETED", "a")


def test_a_watch_goes_on_where_another_was_cut_off(client: httpx.Client, config_maps: str) -> None:
    with _watching(client, config_maps, resourceVersion=_version(client, config_maps)) as events:
        _create(client, config_maps, "a")
        seen = next(events)
    for name in ("b", "c"):
        _create(client, config_maps, name)
    with _watching(client, config_maps, resourceVersion=seen["object"]["metadata"]["resourceVersion"]) as events:
        assert [_named(next(events)), _named(next(events))] == [("ADDED", "b"), ("ADDED", "c")]


def test_a_client_that_does_not_read_for_a_while_misses_nothing(client: httpx.Client, config_maps: str) -> None:
    version = _create(client, config_maps, "a")
    with _watching(client, config_maps, resourceVersion=version) as events:
        for number in range(100):
            body = {"metadata": {"name": "a"}, "data": {"number": str(number), "long": "x" * 200_000}}
            client.put(f"{config_maps}/a", json=body).raise_for_status()
        assert [next(events)["object"]["data"]["number"] for _ in range(100)] == [str(number) for number in range(100)]
        _create(client, config_maps, "b")
        assert _named(next(events)) == ("ADDED", "b")


def test_a_watch_ends_by_itself_after_its_timeout(client: httpx.Client, config_maps: str) -> None:
    version = _version(client, config_maps)
    answer = client.get(config_maps, params={"watch": "true", "timeoutSeconds": "1", "resourceVersion": version})
    assert (answer.status_code, answer.text) == (200, "")
    assert answer.headers["content-type"] == "application/json"


def test_a_timeout_before_the_start_leaves_no_time_for_events(client: httpx.Client, config_maps: str) -> None:
    _create(client, config_maps, "a")
    answer = client.get(config_maps, params={"watch": "true", "timeoutSeconds": "-1"})
    assert (answer.status_code, answer.text) == (200, "")


@pytest.mark.parametrize(
    ("query", "code"), [({}, 406), ({"fieldSelector": "a=b"}, 400), ({"resourceVersion": "x"}, 500)]
)
def test_what_cannot_be_streamed_is_refused_after_the_options(
    client: httpx.Client, config_maps: str, query: dict[str, str], code: int
) -> None:
    answer = client.get(config_maps, params={"watch": "true", **query}, headers={"Accept": "application/yaml"})
    assert (answer.status_code, answer.headers["content-type"]) == (code, "application/yaml")


@pytest.mark.parametrize(
    ("path", "code"),
    [("configmaps?watch=1&timeoutSeconds=1", 200), ("pods/a/log?", 404), ("configmaps?", 400), ("nothing?", 400)],
)
def test_a_request_that_lasts_has_no_other_timeout(client: httpx.Client, namespace: str, path: str, code: int) -> None:
    assert client.get(f"/api/v1/namespaces/{namespace}/{path}&timeout=soon").status_code == code


def test_an_object_that_enters_and_leaves_the_selection_is_added_and_deleted(
    client: httpx.Client, config_maps: str
) -> None:
    _create(client, config_maps, "a", app="db")
    query = {"labelSelector": "app=web", "resourceVersion": _version(client, config_maps)}
    headers = {"Content-Type": "application/merge-patch+json"}
    with _watching(client, config_maps, **query) as events:
        for app in ("web", "db"):
            body = json.dumps({"metadata": {"labels": {"app": app}}})
            client.patch(f"{config_maps}/a", content=body, headers=headers).raise_for_status()
        assert [_named(next(events)), _named(next(events))] == [("ADDED", "a"), ("DELETED", "a")]


def test_initial_events_end_with_a_bookmark(client: httpx.Client, config_maps: str) -> None:
    _create(client, config_maps, "a")
    query = {
        "sendInitialEvents": "true",
        "allowWatchBookmarks": "true",
        "resourceVersionMatch": "NotOlderThan",
    }
    with _watching(client, config_maps, **query) as events:
        assert _named(next(events)) == ("ADDED", "a")
        bookmark = next(events)
    assert bookmark["type"] == "BOOKMARK"
    assert bookmark["object"]["kind"] == "ConfigMap"
    assert bookmark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert int(bookmark["object"]["metadata"]["resourceVersion"]) >= int(_version(client, config_maps))


def test_many_watchers_see_the_same_events(client: httpx.Client, server: Server, config_maps: str) -> None:
    version = _version(client, config_maps)
    seen: list[tuple[str, str]] = []
    begun = threading.Barrier(21)

    def watch() -> None:
        with (
            httpx.Client(base_url=server.url, trust_env=False) as own,
            _watching(own, config_maps, resourceVersion=version) as events,
        ):
            begun.wait()
            seen.append(_named(next(events)))

    threads = [threading.Thread(target=watch) for _ in range(20)]
    for thread in threads:
        thread.start()
    begun.wait()
    _create(client, config_maps, "a")
    for thread in threads:
        thread.join()
    assert seen == [("ADDED", "a")] * 20


def test_a_browser_gets_server_sent_events(client: httpx.Client, config_maps: str) -> None:
    version = _version(client, config_maps)
    query = {"watch": "true", "resourceVersion": version}
    with client.stream("GET", config_maps, params=query, headers={"Accept": "text/event-stream"}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        created = _create(client, config_maps, "a")
        fields = dict(line.split(": ", 1) for line in _until_blank(answer.iter_lines()))
    assert _named(json.loads(fields["data"])) == ("ADDED", "a")
    assert fields.get("id", created) == created


def _until_blank(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if not line:
            return
        yield line


def _websocket(server: Server, collection: str, version: str) -> ClientConnection:
    address = f"ws://{server.host}:{server.port}{collection}?watch=true&resourceVersion={version}"
    return connect(address, proxy=None, open_timeout=60)


def test_a_websocket_gets_one_event_a_frame(server: Server, client: httpx.Client, config_maps: str) -> None:
    version = _version(client, config_maps)
    with _websocket(server, config_maps, version) as socket:
        for name in ("a", "b"):
            _create(client, config_maps, name)
        events = [json.loads(socket.recv(timeout=60)) for _ in range(2)]
    assert [_named(event) for event in events] == [("ADDED", "a"), ("ADDED", "b")]


def test_a_websocket_is_closed_at_the_end_of_its_watch(server: Server, client: httpx.Client, config_maps: str) -> None:
    version = f"{_version(client, config_maps)}&timeoutSeconds=1"
    with _websocket(server, config_maps, version) as socket:
        assert list(socket) == []
        assert socket.close_code == 1000


@pytest.fixture
def forgetful() -> Iterator[httpx.Client]:
    """A client of a server whose history contains ten changes."""
    with (
        Server(Settings(controllers=(), history=10)).in_thread() as running,
        httpx.Client(base_url=running.url, trust_env=False) as connected,
    ):
        yield connected


_CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def test_a_watch_of_forgotten_history_is_told_so(forgetful: httpx.Client) -> None:
    for number in range(12):
        _create(forgetful, _CONFIG_MAPS, f"a{number}")
    with _watching(forgetful, _CONFIG_MAPS, resourceVersion="1") as events:
        (event,) = events
    assert event["type"] == "ERROR"
    assert (event["object"]["code"], event["object"]["reason"]) == (410, "Expired")


def test_a_list_at_a_forgotten_revision_is_told_so(forgetful: httpx.Client) -> None:
    for number in range(12):
        _create(forgetful, _CONFIG_MAPS, f"a{number}")
    query = {"resourceVersion": "1", "resourceVersionMatch": "Exact"}
    answer = forgetful.get(_CONFIG_MAPS, params=query)
    assert (answer.status_code, answer.json()["reason"]) == (410, "Expired")


def test_a_page_whose_list_is_forgotten_is_told_how_to_go_on(forgetful: httpx.Client) -> None:
    for number in range(3):
        _create(forgetful, _CONFIG_MAPS, f"a{number}")
    token = forgetful.get(_CONFIG_MAPS, params={"limit": "1"}).json()["metadata"]["continue"]
    for number in range(12):
        _create(forgetful, _CONFIG_MAPS, f"b{number}")
    answer = forgetful.get(_CONFIG_MAPS, params={"limit": "1", "continue": token})
    assert answer.status_code == 410
    going_on = {"limit": "1", "continue": answer.json()["metadata"]["continue"]}
    (item,) = forgetful.get(_CONFIG_MAPS, params=going_on).json()["items"]
    assert item["metadata"]["name"] == "a1"


def test_a_quiet_watch_survives_history_that_others_make(forgetful: httpx.Client) -> None:
    version = _version(forgetful, "/api/v1/namespaces/default/pods")
    with _watching(forgetful, "/api/v1/namespaces/default/pods", resourceVersion=version) as events:
        for number in range(30):
            _create(forgetful, _CONFIG_MAPS, f"a{number}")
        pod = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", "image": "b"}]}}
        forgetful.post("/api/v1/namespaces/default/pods", json=pod).raise_for_status()
        assert _named(next(events)) == ("ADDED", "a")


def test_a_websocket_that_its_client_leaves_is_watched_no_more(
    server: Server, client: httpx.Client, config_maps: str
) -> None:
    with _websocket(server, config_maps, _version(client, config_maps)):
        pass
    which = {"verb": "watch", "namespace": config_maps.split("/")[-2]}
    until = monotonic() + 60
    while not client.get("/memkube/v1/requests", params=which).json()["items"][0]["number"]:
        assert monotonic() < until, "it is under way for good"
