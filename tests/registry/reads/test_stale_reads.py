"""Reads that a fault answers from an older revision."""

from collections.abc import Iterator
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


def create(http: httpx.Client, name: str) -> str:
    version: str = http.post(MAPS, json={"metadata": {"name": name}}).json()["metadata"]["resourceVersion"]
    return version


def names(http: httpx.Client, headers: dict[str, str] | None = None, **params: str) -> str:
    return "".join(item["metadata"]["name"] for item in http.get(MAPS, params=params, headers=headers).json()["items"])


def test_without_an_age_time_stands_still_for_readers(kube: memkube.Memkube, http: httpx.Client) -> None:
    create(http, "a")
    with kube.faults.add(faults.stale_reads(), resource="configmaps"):
        create(http, "b")
        assert names(http) == "a"
        assert http.get(f"{MAPS}/b").status_code == 404
        http.delete(f"{MAPS}/a")
        assert http.get(f"{MAPS}/a", params={"resourceVersion": "0"}).status_code == 200
    assert names(http) == "b"


def test_readers_lag_behind_by_the_servers_clock(kube: memkube.Memkube, http: httpx.Client) -> None:
    kube.faults.add(faults.stale_reads(10))
    seen = []
    for name in "abc":
        create(http, name)
        kube.clock.advance(5)
        seen.append(names(http))
    kube.clock.advance(5)
    assert [*seen, names(http)] == ["", "a", "ab", "abc"]


def test_readers_see_a_chosen_revision(kube: memkube.Memkube, http: httpx.Client) -> None:
    revision = int(create(http, "a"))
    create(http, "b")
    with kube.faults.add(faults.stale_reads(revision=revision, may_go_back=True)):
        create(http, "c")
        assert names(http) == "a"
    assert names(http) == "abc"


def test_readers_lag_behind_by_so_many_writes(kube: memkube.Memkube, http: httpx.Client) -> None:
    kube.faults.add(faults.stale_reads(revisions=2))
    seen = []
    for name in "abcd":
        create(http, name)
        seen.append(names(http))
    assert seen == ["", "", "a", "ab"]


def test_nobody_is_shown_what_was_before_the_fault_unless_asked_for(kube: memkube.Memkube, http: httpx.Client) -> None:
    for name in "abc":
        create(http, name)
    with kube.faults.add(faults.stale_reads(revisions=2)):
        assert names(http) == "abc"
    with kube.faults.add(faults.stale_reads(revisions=2, may_go_back=True)):
        assert names(http) == "a"


def test_a_client_that_has_seen_more_is_not_taken_back(kube: memkube.Memkube, http: httpx.Client) -> None:
    fault = kube.faults.add(faults.stale_reads(), after=1)
    create(http, "a")
    alice, bob = {"user-agent": "alice"}, {"user-agent": "bob"}
    assert names(http, alice) == "a"
    assert names(http, bob) == ""
    assert names(http, alice) == "a"
    assert (fault.matched, fault.hits) == (3, 2)


def test_who_wants_nothing_older_gets_nothing_older(kube: memkube.Memkube, http: httpx.Client) -> None:
    kube.faults.add(faults.stale_reads())
    first = create(http, "a")
    create(http, "b")
    assert names(http, resourceVersion=first, resourceVersionMatch="NotOlderThan") == "a"
    assert http.get(f"{MAPS}/a", params={"resourceVersion": first}).status_code == 200
    assert names(http, resourceVersion=str(kube.revision()), resourceVersionMatch="Exact") == "ab"


def test_consistent_reads_may_be_spared(kube: memkube.Memkube, http: httpx.Client) -> None:
    kube.faults.add(faults.stale_reads(only_any=True))
    create(http, "a")
    assert names(http) == "a"
    assert names(http, resourceVersion="0") == ""


def test_a_watch_goes_on_where_a_stale_list_was(kube: memkube.Memkube, http: httpx.Client) -> None:
    kube.faults.add(faults.stale_reads())
    create(http, "a")
    listed = http.get(MAPS).json()["metadata"]["resourceVersion"]
    params: dict[str, Any] = {"watch": 1, "resourceVersion": listed}
    with http.stream("GET", MAPS, params=params) as events:
        assert '"name":"a"' in next(events.iter_lines())


def test_pages_of_a_stale_list_fit_each_other(kube: memkube.Memkube, http: httpx.Client) -> None:
    for name in "abc":
        create(http, name)
    kube.faults.add(faults.stale_reads())
    http.delete(f"{MAPS}/c")
    first = http.get(MAPS, params={"limit": 2}).json()
    assert names(http, **{"limit": "2", "continue": first["metadata"]["continue"]}) == "c"


def test_what_is_forgotten_cannot_be_shown(kube: memkube.Memkube, http: httpx.Client) -> None:
    kube.faults.add(faults.stale_reads())
    create(http, "a")
    kube.faults.compact_history()
    create(http, "b")
    assert names(http) == "a"


def test_a_view_of_a_stale_object_is_stale(kube: memkube.Memkube, http: httpx.Client) -> None:
    deployment = {
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "main", "image": "nginx"}]},
            },
        },
    }
    url = "/apis/apps/v1/namespaces/default/deployments"
    http.post(url, json=deployment).raise_for_status()
    kube.faults.add(faults.stale_reads())
    patch = {"content-type": "application/merge-patch+json"}
    changed = http.patch(f"{url}/web/scale", content='{"spec": {"replicas": 3}}', headers=patch)
    assert changed.json()["spec"]["replicas"] == 3
    assert http.get(f"{url}/web/scale").json()["spec"]["replicas"] == 1
