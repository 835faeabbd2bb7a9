import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

NODES = "/api/v1/nodes"


@contextmanager
def watching(client: httpx.Client, **query: str) -> Iterator[Iterator[Any]]:
    """The lines of a watch that has begun."""
    version = client.get(NODES).json()["metadata"]["resourceVersion"]
    query = {"watch": "true", "resourceVersion": version, "fieldSelector": "metadata.name=nobody", **query}
    with client.stream("GET", NODES, params=query) as answer:
        yield (json.loads(line) for line in answer.iter_lines())


def advance(client: httpx.Client, seconds: float) -> None:
    client.post("/memkube/v1/clock/advance", json={"seconds": seconds}).raise_for_status()


def test_a_watch_lasts_until_the_stepped_clock_says_that_its_time_is_up(stepped: httpx.Client) -> None:
    with watching(stepped, timeoutSeconds="30") as events:
        advance(stepped, 29)
        stepped.post(NODES, json={"metadata": {"name": "nobody"}}).raise_for_status()
        assert next(events)["type"] == "ADDED"
        advance(stepped, 1)
        assert [event["type"] for event in events if event["type"] != "MODIFIED"] == []


def test_bookmarks_come_by_the_stepped_clock(stepped: httpx.Client) -> None:
    with watching(stepped, allowWatchBookmarks="true", timeoutSeconds="300") as events:
        advance(stepped, 60)
        assert next(events)["type"] == "BOOKMARK"
        advance(stepped, 60)
        assert next(events)["type"] == "BOOKMARK"
