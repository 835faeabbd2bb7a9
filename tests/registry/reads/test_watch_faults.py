"""Effects of faults on watches."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

import memkube
from memkube import faults

MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(controllers="none", clock="stepped") as running:
        yield running


@pytest.fixture
def http(kube: memkube.Memkube) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=kube.url, trust_env=False) as client:
        yield client


class Events:
    """The events of a watch as text: ``+a`` for ADDED, ``~a`` for MODIFIED, ``-a`` for DELETED, ``=`` for BOOKMARK."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def next(self) -> str:
        event = json.loads(next(self._lines))
        if event["type"] == "ERROR":
            return str(event["object"]["reason"])
        signs = {"ADDED": "+", "MODIFIED": "~", "DELETED": "-", "BOOKMARK": "="}
        name: str = event["object"]["metadata"].get("name", "")
        return signs[event["type"]] + name

    def rest(self) -> list[str]:
        found = []
        try:
            while True:
                found.append(self.next())
        except StopIteration:
            return found


@contextmanager
def watching(http: httpx.Client, **params: Any) -> Iterator[Events]:
    """Watch ConfigMaps from the current revision."""
    version = http.get(MAPS).json()["metadata"]["resourceVersion"]
    with http.stream("GET", MAPS, params={"watch": 1, "resourceVersion": version, **params}) as answer:
        yield Events(answer.iter_lines())


def create(http: httpx.Client, *names: str) -> None:
    for name in names:
        http.post(MAPS, json={"metadata": {"name": name}}).raise_for_status()


def test_a_watch_is_closed_when_it_begins(kube: memkube.Memkube, http: httpx.Client) -> None:
    with kube.faults.add(faults.close_watch(), resource="configmaps", first=1) as fault:
        with watching(http) as events:
            assert events.rest() == []
        with watching(http) as events:
            create(http, "a")
            assert events.next() == "+a"
    assert (fault.matched, fault.hits) == (2, 1)


def test_a_watch_is_closed_after_so_many_events(kube: memkube.Memkube, http: httpx.Client) -> None:
    kube.faults.add(faults.close_watch(after_events=2), resource="configmaps")
    with watching(http) as events:
        create(http, "a", "b", "c")
        assert events.rest() == ["+a", "+b"]


def test_a_watch_that_is_open_is_closed_by_a_new_fault(kube: memkube.Memkube, http: httpx.Client) -> None:
    with watching(http) as events, kube.faults.add(faults.close_watch(expired=True), resource="configmaps"):
        assert events.rest() == ["Expired"]


def test_a_watch_that_others_hold_stays_open(kube: memkube.Memkube, http: httpx.Client) -> None:
    with watching(http) as events, kube.faults.add(faults.close_watch(), resource="secrets"):
        create(http, "a")
        assert events.next() == "+a"


def test_a_connection_is_dropped_in_the_middle_of_a_watch(kube: memkube.Memkube, http: httpx.Client) -> None:
    kube.faults.add(faults.close_watch(dropped=True, after_events=1), resource="configmaps")
    with watching(http) as events:
        create(http, "a")
        assert events.next() == "+a"
        with pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"):
            events.next()


def test_open_watches_are_closed_now(kube: memkube.Memkube, http: httpx.Client) -> None:
    with watching(http) as events, watching(http) as others:
        assert kube.faults.close_watches(resource="pods") == 0
        assert kube.faults.close_watches(resource="configmaps", expired=True) == 2
        assert (events.rest(), others.rest()) == (["Expired"], ["Expired"])
    with watching(http) as events:
        create(http, "a")
        assert events.next() == "+a"


def test_events_come_late_and_in_their_order(kube: memkube.Memkube, http: httpx.Client) -> None:
    kube.faults.add(faults.delay_events(10, objects="b"), resource="configmaps")
    with watching(http, timeoutSeconds=30) as events:
        create(http, "a", "b", "c")
        assert events.next() == "+a"
        kube.clock.advance(10)
        assert [events.next(), events.next()] == ["+b", "+c"]


def test_events_are_held_back_until_the_fault_is_removed(kube: memkube.Memkube, http: httpx.Client) -> None:
    fault = kube.faults.add(faults.hold_events(types="DELETED"), resource="configmaps")
    with watching(http, timeoutSeconds=30) as events:
        create(http, "a")
        http.delete(f"{MAPS}/a")
        create(http, "b")
        assert events.next() == "+a"
        kube.clock.advance(20)
        fault.remove()
        assert [events.next(), events.next()] == ["-a", "+b"]
    assert fault.hits == 1


def test_a_watch_that_is_held_up_ends_in_time(kube: memkube.Memkube, http: httpx.Client) -> None:
    kube.faults.add(faults.hold_events(), resource="configmaps")
    with watching(http, timeoutSeconds=30) as events:
        create(http, "a")
        kube.clock.advance(30)
        assert events.rest() == []


def test_no_bookmark_passes_an_event_that_is_held_back(kube: memkube.Memkube, http: httpx.Client) -> None:
    fault = kube.faults.add(faults.hold_events(), resource="configmaps")
    with watching(http, timeoutSeconds=200, allowWatchBookmarks=1) as events:
        create(http, "a")
        kube.clock.advance(70)
        fault.remove()
        kube.clock.advance(60)
        assert [events.next(), events.next()] == ["+a", "="]


def test_bookmarks_are_withheld(kube: memkube.Memkube, http: httpx.Client) -> None:
    fault = kube.faults.add(faults.withhold_bookmarks(), resource="configmaps")
    with watching(http, timeoutSeconds=100, allowWatchBookmarks=1) as events:
        create(http, "a")
        kube.clock.advance(100)
        assert events.rest() == ["+a"]
    assert fault.hits == 2


def test_the_end_of_the_initial_events_is_told_unless_that_is_withheld_too(
    kube: memkube.Memkube, http: httpx.Client
) -> None:
    initial = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": 1}
    create(http, "a")
    seen = []
    for effect in (faults.withhold_bookmarks(), faults.withhold_bookmarks(initial=True)):
        with (
            kube.faults.add(effect, resource="configmaps"),
            watching(http, timeoutSeconds=10, resourceVersion="", **initial) as events,
        ):
            first = events.next()
            kube.clock.advance(10)
            seen.append([first, *events.rest()])
    assert seen == [["+a", "="], ["+a"]]
