from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from memkube.server.server import Server
from memkube.server.settings import Settings

CLOCK = "/memkube/v1/clock"


def now(client: httpx.Client) -> datetime:
    return datetime.fromisoformat(client.get(CLOCK).json()["now"])


def test_a_stepped_clock_stands_still_until_it_is_moved(stepped: httpx.Client) -> None:
    before = stepped.get(CLOCK).json()
    assert (before["mode"], before["speed"]) == ("stepped", 0)
    assert stepped.get(CLOCK).json() == before
    answer = stepped.post(f"{CLOCK}/advance", json={"seconds": 30.5}).json()
    assert datetime.fromisoformat(answer["now"]) == datetime.fromisoformat(before["now"]) + timedelta(seconds=30.5)
    assert now(stepped).isoformat() == datetime.fromisoformat(answer["now"]).isoformat()


def test_a_stepped_clock_moves_to_its_next_timer(stepped: httpx.Client) -> None:
    due = stepped.get(CLOCK).json()["next"]
    answer = stepped.post(f"{CLOCK}/next").json()
    assert answer == {"now": due, "met": True}
    assert datetime.fromisoformat(stepped.get(CLOCK).json()["next"]) > datetime.fromisoformat(due)


def test_a_clock_without_timers_has_no_next_one() -> None:
    settings = Settings(controllers=(), clock="stepped")
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        assert client.get(CLOCK).json()["next"] is None
        assert client.post(f"{CLOCK}/next").status_code == 409


def test_what_fell_due_has_happened_when_the_answer_comes(stepped: httpx.Client) -> None:
    stepped.post(f"{CLOCK}/advance", json={"seconds": 3600})
    lease = stepped.get("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1").json()
    assert datetime.fromisoformat(lease["spec"]["renewTime"]) == now(stepped)


@pytest.mark.parametrize(("clock", "mode", "speed"), [("real", "real", 1), ("x60", "scaled", 60)])
def test_a_clock_that_runs_by_itself_cannot_be_moved(clock: str, mode: str, speed: float) -> None:
    settings = Settings(controllers=(), clock=clock)
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        shown = client.get(CLOCK).json()
        answer = client.post(f"{CLOCK}/advance", json={"seconds": 1})
    assert (shown["mode"], shown["speed"]) == (mode, speed)
    status = answer.json()
    assert (answer.status_code, status["kind"], status["reason"]) == (409, "Status", "Conflict")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "seconds"),
        ({"seconds": -1}, "seconds"),
        ({"seconds": "soon"}, "seconds"),
        ({"seconds": 1e12}, "seconds"),
        ({"seconds": None}, "seconds"),
        ({"seconds": 1, "minutes": 1}, "minutes"),
    ],
)
def test_a_step_that_makes_no_sense_is_refused(stepped: httpx.Client, body: Any, field: str) -> None:
    answer = stepped.post(f"{CLOCK}/advance", json=body)
    status = answer.json()
    assert (answer.status_code, status["kind"], status["reason"]) == (422, "Status", "Invalid")
    assert [cause["field"] for cause in status["details"]["causes"]] == [field]


def test_a_body_of_no_declared_type_is_json(stepped: httpx.Client) -> None:
    """``kubectl create --raw`` sends no media type. The Kubernetes API reads such a body as JSON, too."""
    before = now(stepped)
    assert stepped.post(f"{CLOCK}/advance", content=b'{"seconds": 5}').status_code == 200
    assert now(stepped) == before + timedelta(seconds=5)


@pytest.mark.parametrize(
    ("body", "media_type", "code"), [(b"{", "application/json", 400), (b"seconds=1", "text/plain", 415)]
)
def test_a_body_that_is_no_json_is_refused(stepped: httpx.Client, body: bytes, media_type: str, code: int) -> None:
    answer = stepped.post(f"{CLOCK}/advance", content=body, headers={"content-type": media_type})
    assert (answer.status_code, answer.json()["kind"]) == (code, "Status")


def test_time_moves_until_a_condition_holds(stepped: httpx.Client) -> None:
    until = {"resource": "nodes", "name": "node-1", "condition": "condition=Ready=Unknown"}
    stepped.post("/memkube/v1/nodes/node-1/fail").raise_for_status()
    before = datetime.fromisoformat(stepped.get("/memkube/v1/clock").json()["now"])
    answer = stepped.post("/memkube/v1/clock/advance", json={"seconds": 600, "until": until}).json()
    assert answer["met"]
    assert 30 < (datetime.fromisoformat(answer["now"]) - before).total_seconds() < 120


def test_a_condition_that_does_not_come_is_not_met(stepped: httpx.Client) -> None:
    until = {"resource": "pods", "name": "web", "condition": "create"}
    assert not stepped.post("/memkube/v1/clock/advance", json={"seconds": 5, "until": until}).json()["met"]


@pytest.mark.parametrize(
    "until", [{"quietSeconds": 0}, {"resource": "pods"}, {"resource": "pods", "name": "a", "condition": "b"}]
)
def test_what_cannot_be_waited_for_is_refused(stepped: httpx.Client, until: dict[str, Any]) -> None:
    assert stepped.post("/memkube/v1/clock/advance", json={"seconds": 5, "until": until}).status_code == 422


def test_clients_settle(stepped: httpx.Client) -> None:
    assert stepped.post("/memkube/v1/settle", json={"clients": ["nobody"]}).status_code == 200
    with stepped.stream("GET", "/api/v1/nodes", params={"watch": "1"}, headers={"user-agent": "reader/1"}) as watch:
        lines = watch.iter_lines()
        assert '"ADDED"' in next(lines)
        answer = httpx.post(
            f"{stepped.base_url}/memkube/v1/settle", json={"clients": ["reader"], "silentSeconds": 0.05}
        )
        assert answer.status_code == 200
