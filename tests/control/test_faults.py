from typing import Any

import httpx
import pytest

FAULTS = "/memkube/v1/faults"
NODES = "/api/v1/nodes"
RULE = {
    "name": "busy",
    "match": {"verbs": ["list"], "resources": ["nodes"]},
    "when": {"first": 1},
    "effect": {"type": "error", "code": 429, "retryAfterSeconds": 2},
}


def test_a_fault_is_there_until_it_is_deleted(stepped: httpx.Client) -> None:
    added = stepped.post(FAULTS, json=RULE)
    assert (added.status_code, added.json()["effect"]["type"]) == (201, "error")
    assert [stepped.get(NODES).status_code for _ in range(2)] == [429, 200]
    shown = stepped.get(f"{FAULTS}/busy").json()
    assert (shown["matched"], shown["hits"]) == (2, 1)
    assert stepped.get(FAULTS).json() == {"items": [shown]}
    assert stepped.delete(f"{FAULTS}/busy").json() == shown
    assert stepped.get(FAULTS).json() == {"items": []}


def test_what_is_shown_of_a_fault_can_be_added_again(stepped: httpx.Client) -> None:
    stepped.post(FAULTS, json=RULE)
    shown = stepped.delete(f"{FAULTS}/busy").json()
    rule = {key: value for key, value in shown.items() if key not in ("matched", "hits")}
    assert stepped.post(FAULTS, json=rule).json() == shown


def test_a_name_is_given_where_there_is_none_and_taken_once(stepped: httpx.Client) -> None:
    assert stepped.post(FAULTS, json={"effect": {"type": "closeWatch"}}).json()["name"] == "close-watch-1"
    assert stepped.post(FAULTS, json=RULE).status_code == 201
    again = stepped.post(FAULTS, json=RULE)
    assert (again.status_code, again.json()["message"]) == (409, 'faults "busy" already exists')


def test_all_faults_are_deleted(stepped: httpx.Client) -> None:
    stepped.post(FAULTS, json=RULE)
    assert stepped.delete(FAULTS).status_code == 204
    assert stepped.get(FAULTS).json() == {"items": []}


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_fault_that_there_is_not_is_not_found(stepped: httpx.Client, method: str) -> None:
    answer = stepped.request(method, f"{FAULTS}/busy")
    assert (answer.status_code, answer.json()["message"]) == (404, 'faults "busy" not found')


@pytest.mark.parametrize(
    "rule",
    [
        {},
        {"effect": {"type": "error", "code": 404}},
        {"effect": {"type": "error", "code": 409}},
        {"effect": {"type": "delay", "seconds": -1}},
        {"effect": {"type": "drop", "afterwrite": True}},
        {"match": {"verb": "get"}, "effect": {"type": "drop"}},
        {"when": {"first": 0}, "effect": {"type": "drop"}},
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(stepped: httpx.Client, rule: Any) -> None:
    answer = stepped.post(FAULTS, json=rule)
    assert (answer.status_code, answer.json()["reason"]) == (422, "Invalid")


def test_open_watches_are_closed(stepped: httpx.Client) -> None:
    with stepped.stream("GET", NODES, params={"watch": 1}) as watch:
        lines = watch.iter_lines()
        assert [next(lines), next(lines)]
        closed = stepped.post(f"{FAULTS}/close-watches", json={"match": {"resources": ["nodes"]}})
        assert closed.json() == {"watches": 1}
        assert list(lines) == []
    late = {"effect": {"type": "closeWatch", "afterEvents": 1}}
    assert stepped.post(f"{FAULTS}/close-watches", json=late).status_code == 422


def test_history_is_compacted(stepped: httpx.Client) -> None:
    revision = stepped.get(NODES).json()["metadata"]["resourceVersion"]
    assert stepped.post(f"{FAULTS}/compact-history").json() == {"revision": int(revision)}


def test_faults_are_described(stepped: httpx.Client) -> None:
    document = stepped.get("/memkube/v1/openapi.json").json()
    effects = document["components"]["schemas"]["FaultRule"]["properties"]["effect"]["discriminator"]["mapping"]
    assert {"delay", "error", "drop", "closeWatch", "staleReads", "clockDrift"} <= effects.keys()
    assert {FAULTS.removeprefix("/memkube/v1")} <= {path.removeprefix("/memkube/v1") for path in document["paths"]}
