"""Effects of faults on HTTP requests."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx
import pytest

import memkube
from memkube import faults

MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    """A cluster without controllers, with a stepped clock."""
    with memkube.Memkube(controllers="none", clock="stepped") as running:
        yield running


@pytest.fixture
def http(kube: memkube.Memkube) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=kube.url, trust_env=False) as client:
        yield client


def named(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def names(answer: httpx.Response) -> list[str]:
    return [item["metadata"]["name"] for item in answer.json()["items"]]


def test_a_refused_request_is_not_carried_out(kube: memkube.Memkube, http: httpx.Client) -> None:
    with kube.faults.add(faults.error(429, retry_after=3), verb="create", resource="configmaps") as fault:
        refused = http.post(MAPS, json=named("a"))
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "3")
    assert refused.json()["details"] == {"retryAfterSeconds": 3}
    assert http.get(f"{MAPS}/a").status_code == 404
    assert fault.hits == 1


def test_a_server_that_has_too_much_to_do_answers_with_a_line_of_text(
    kube: memkube.Memkube, http: httpx.Client
) -> None:
    kube.faults.add(faults.error(429, as_text=True))
    kube.faults.add(faults.error(429, as_text=True, retry_after=5), path="/version")
    for path, wait in ((MAPS, "1"), ("/version", "5")):
        refused = http.get(path)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, wait)
        assert refused.text == "Too many requests, please try again later.\n"
        assert refused.headers["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_a_creation_goes_by_the_name_in_its_body(kube: memkube.Memkube, http: httpx.Client, kind: str) -> None:
    headers = {"content-type": f"application/{kind}"}
    with kube.faults.add(faults.error(409), verb="create", name="a*"):
        refused = http.post(MAPS, content='{"metadata": {"name": "a1"}}', headers=headers)
        assert refused.json()["message"] == 'configmaps "a1" already exists'
        assert http.post(MAPS, content='{"metadata": {"name": "b1"}}', headers=headers).status_code == 201


def test_the_rest_of_a_list_that_expires_may_be_had_nevertheless(kube: memkube.Memkube, http: httpx.Client) -> None:
    for name in "abc":
        http.post(MAPS, json=named(name))
    token = http.get(MAPS, params={"limit": 1}).json()["metadata"]["continue"]
    with kube.faults.add(faults.error(410), verb="list"):
        refused = http.get(MAPS, params={"limit": 1, "continue": token})
    assert refused.status_code == 410
    again = http.get(MAPS, params={"continue": refused.json()["metadata"]["continue"]})
    assert names(again) == ["b", "c"]


@pytest.mark.parametrize(("after_write", "found"), [(False, 404), (True, 200)])
def test_a_connection_is_dropped_before_or_after_the_write(
    kube: memkube.Memkube, http: httpx.Client, after_write: bool, found: int
) -> None:
    with (
        kube.faults.add(faults.drop(after_write=after_write), verb="create"),
        # If the server has not read the whole body, the connection is reset.
        pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)),
    ):
        http.post(MAPS, json=named("a"))
    assert http.get(f"{MAPS}/a").status_code == found


def test_other_addresses_go_by_their_path(kube: memkube.Memkube, http: httpx.Client) -> None:
    with kube.faults.add(faults.error(503), path="/apis*") as fault:
        assert http.get("/apis").json()["reason"] == "ServiceUnavailable"
        assert http.get("/version").status_code == 200
        assert http.get(MAPS).status_code == 200
    with kube.faults.add(faults.drop(), path="/version"), pytest.raises(httpx.RemoteProtocolError):
        http.get("/version")
    assert fault.hits == 1


def test_what_controls_faults_knows_none(kube: memkube.Memkube, http: httpx.Client) -> None:
    with kube.faults.add(faults.error(500), path="/*"):
        assert len(http.get("/memkube/v1/faults").json()["items"]) == 1


def test_a_request_waits_for_the_clock(kube: memkube.Memkube, http: httpx.Client) -> None:
    with ThreadPoolExecutor() as pool, kube.faults.add(faults.delay(30), verb="get") as fault:
        waiting = pool.submit(http.get, f"{MAPS}/kube-root-ca.crt")
        while not fault.hits:
            assert not waiting.done()
        kube.clock.advance(29)
        assert not waiting.done()
        kube.clock.advance(1)
        assert waiting.result().status_code == 404


def test_a_fault_that_is_removed_lets_go_of_whom_it_delays(kube: memkube.Memkube, http: httpx.Client) -> None:
    with ThreadPoolExecutor() as pool:
        fault = kube.faults.add(faults.delay(30), verb="list")
        waiting = pool.submit(http.get, MAPS)
        while not fault.hits:
            assert not waiting.done()
        fault.remove()
        assert waiting.result().status_code == 200


def test_who_waits_for_a_clock_that_nobody_moves_is_told(kube: memkube.Memkube, http: httpx.Client) -> None:
    with kube.faults.add(faults.delay(30), verb="list", called="slow"):
        refused = http.get(MAPS, params={"timeout": "200ms"})
    assert (refused.status_code, refused.json()["reason"]) == (504, "Timeout")
    assert "fault slow delays the request by 30 s of the server's clock, but the clock has not been" in refused.text


def test_a_request_may_wait_by_the_wall(kube: memkube.Memkube, http: httpx.Client) -> None:
    with kube.faults.add(faults.delay(0.05, wall=True), verb="list"):
        assert http.get(MAPS).elapsed > timedelta(seconds=0.05)


def test_a_request_that_waits_past_its_own_time_is_too_late(kube: memkube.Memkube, http: httpx.Client) -> None:
    with kube.faults.add(faults.delay(30, wall=True), verb="list"):
        assert http.get(MAPS, params={"timeout": "50ms"}).status_code == 504


def test_history_is_forgotten_before_a_watch_begins(kube: memkube.Memkube, http: httpx.Client) -> None:
    listed = http.get(MAPS).json()["metadata"]["resourceVersion"]
    http.post(MAPS, json=named("a"))
    with kube.faults.add(faults.compact_history(), verb="watch"):
        events = http.get(MAPS, params={"watch": 1, "resourceVersion": listed}).text
    assert '"reason":"Expired"' in events


def test_history_is_forgotten_now(kube: memkube.Memkube, http: httpx.Client) -> None:
    listed = http.get(MAPS).json()["metadata"]["resourceVersion"]
    http.post(MAPS, json=named("a"))
    assert kube.faults.compact_history() == kube.revision()
    exact = {"resourceVersion": listed, "resourceVersionMatch": "Exact"}
    assert http.get(MAPS, params=exact).status_code == 410


def test_several_faults_come_over_one_request_until_one_ends_it(kube: memkube.Memkube, http: httpx.Client) -> None:
    before = kube.faults.add(faults.delay(0), verb="list")
    refusing = kube.faults.add(faults.error(500), verb="list")
    behind = kube.faults.add(faults.drop(), verb="list")
    assert http.get(MAPS).status_code == 500
    assert [fault.hits for fault in (before, refusing, behind)] == [1, 1, 0]


def test_the_log_of_requests_names_the_faults_that_hit_one(kube: memkube.Memkube, http: httpx.Client) -> None:
    kube.faults.add(faults.delay(0), verb="list", called="slow")
    kube.faults.add(faults.error(500), verb="list", called="broken", first=1)
    kube.faults.add(faults.close_watch(), called="closing", resource="configmaps")
    for params in ({}, {}, {"watch": 1}):
        http.get(MAPS, params=params)
    hit = [request.fault for request in kube.requests.of(("list", "watch"), "configmaps")]
    assert hit == ["slow, broken", "slow", "closing"]
    assert len(kube.requests.hit_by("closing").of("watch")) == 1


def test_an_upgrade_loses_its_connection(kube: memkube.Memkube, http: httpx.Client) -> None:
    headers = {"connection": "upgrade", "upgrade": "SPDY/3.1"}
    with kube.faults.add(faults.drop(), resource="pods/exec") as fault, pytest.raises(httpx.RemoteProtocolError):
        http.post("/api/v1/namespaces/default/pods/web/exec", headers=headers)
    assert fault.hits == 1


def test_a_server_stops_although_somebody_is_held_up() -> None:
    with memkube.Memkube(controllers="none", clock="stepped") as kube:
        fault = kube.faults.add(faults.delay(30), verb="list")
        waiting = threading.Thread(target=httpx.get, args=[f"{kube.url}{MAPS}"])
        waiting.start()
        while not fault.hits:
            assert waiting.is_alive()
    waiting.join()
