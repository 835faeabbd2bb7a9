"""The stream of live updates, without a browser."""

from collections.abc import Iterator

import httpx
import orjson

from memkube.cluster.synchronous import Memkube

CONFIG_MAPS = "/api/v1/namespaces/{}/configmaps"


def events(lines: Iterator[str]) -> Iterator[tuple[str, str, object]]:
    """Yield the name, the id and the data of each server-sent event."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "event" in fields:
            yield fields["event"], fields.get("id", ""), orjson.loads(fields["data"])
            fields = {}


def create(client: httpx.Client, namespace: str, name: str) -> str:
    answer = client.post(CONFIG_MAPS.format(namespace), json={"metadata": {"name": name}})
    version: str = answer.raise_for_status().json()["metadata"]["resourceVersion"]
    return version


def rows(client: httpx.Client, namespace: str, after: str = "", **headers: str) -> tuple[str, list[str]]:
    """Return the id and the keys of the next rows of a stream."""
    query = {"table": CONFIG_MAPS.format(namespace), "after": after}
    with client.stream("GET", "/ui/live", params=query, headers=headers) as answer:
        for name, place, data in events(answer.iter_lines()):
            if name == "rows":
                assert isinstance(data, dict)
                return place, [key for key, _ in data["rows"]]
    raise AssertionError("the stream has ended")


def test_a_stream_resumes_after_the_last_event(client: httpx.Client, namespace: str) -> None:
    before = create(client, namespace, "first")
    create(client, namespace, "second")
    place, keys = rows(client, namespace, before)
    assert keys == [f"{namespace}/second"]
    create(client, namespace, "third")
    resumed = rows(client, namespace, before, **{"last-event-id": place})
    assert resumed[1] == [f"{namespace}/third"]


def test_a_stream_after_a_compacted_revision_tells_that_changes_are_lost(cluster: Memkube) -> None:
    cluster.faults.compact_history()
    query = {"table": "/api/v1/namespaces", "after": "1"}
    with httpx.stream("GET", f"{cluster.url}/ui/live", params=query, trust_env=False) as answer:
        names = [name for name, _, _ in events(answer.iter_lines())]
    assert names[-1] == "lost"


def test_a_path_that_is_no_list_is_refused(client: httpx.Client) -> None:
    assert client.get("/ui/live", params={"table": "/api/v1/nothing"}).status_code == 404
    assert client.get("/ui/live", params={"watch": "/metrics"}).status_code == 400
