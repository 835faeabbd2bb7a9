from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from memkube.server import Server
from memkube.settings import Settings

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
    """As for the rest of the API; ``kubectl create --raw`` declares none."""
    before = now(stepped)
    assert stepped.post(f"{CLOCK}/advance", content=b'{"seconds": 5}').status_code == 200
    assert now(stepped) == before + timedelta(seconds=5)


@pytest.mark.parametrize(
    ("body", "media_type", "code"), [(b"{", "application/json", 400), (b"seconds=1", "text/plain", 415)]
)
def test_a_body_that_is_no_json_is_refused(stepped: httpx.Client, body: bytes, media_type: str, code: int) -> None:
    answer = stepped.post(f"{CLOCK}/advance", content=body, headers={"content-type": media_type})
    assert (answer.status_code, answer.json()["kind"]) == (code, "Status")
