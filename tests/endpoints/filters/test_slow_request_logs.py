"""Log messages about slow requests, which contain the time of each step."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from memkube.endpoints.filters.recording import FIELDS
from memkube.server.server import Server
from memkube.server.settings import Settings
from memkube.telemetry.request_log import RequestLogOptions

MAPS = "/api/v1/namespaces/default/configmaps"
WRITE = [
    "body read",
    "object made",
    "mutating admission done",
    "object checked",
    "validating admission done",
    "stored",
    "answer encoded",
    "answer sent",
]


@contextmanager
def impatient(caplog: pytest.LogCaptureFixture, seconds: float = 1e-9) -> Iterator[httpx.Client]:
    """A client of a server that logs all requests as slow. All messages are complete after the block."""
    caplog.set_level(logging.INFO, "memkube.trace")
    settings = Settings(controllers=(), requests=RequestLogOptions(slow_seconds=seconds))
    with (
        Server(settings).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        yield client


def steps(record: logging.LogRecord) -> dict[str, float]:
    told: dict[str, float] = getattr(record, FIELDS)["steps"]
    return told


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"method": "GET", "url": f"{MAPS}/kube-root-ca.crt"}, ["answer sent"]),
        ({"method": "GET", "url": MAPS}, ["listed", "answer encoded", "answer sent"]),
        ({"method": "POST", "url": MAPS, "json": {"metadata": {"name": "a"}}}, WRITE),
        ({"method": "DELETE", "url": f"{MAPS}/none"}, ["body read", "answer sent"]),
    ],
)
def test_the_log_says_where_the_time_went(
    caplog: pytest.LogCaptureFixture, asked: dict[str, Any], expected: list[str]
) -> None:
    with impatient(caplog) as client:
        code = client.request(**asked, headers={"audit-id": "mine"}).status_code
    (record,) = caplog.records
    fields = getattr(record, FIELDS)
    assert list(steps(record)) == expected
    assert sum(steps(record).values()) == pytest.approx(fields["seconds"], abs=1e-4)
    assert (fields["audit_id"], fields["status"], fields["method"]) == ("mine", code, asked["method"])
    about = f"{asked['method']} {asked['url']} (audit-id mine) by system:anonymous"
    assert record.getMessage().startswith(f"Trace: {about}")


def test_a_watch_is_not_slow(caplog: pytest.LogCaptureFixture) -> None:
    with impatient(caplog) as client:
        assert client.get(MAPS, params={"watch": "1", "timeoutSeconds": "1"}).status_code == 200
    assert caplog.records == []


@pytest.mark.parametrize("seconds", [0.0, 3600.0])
def test_others_are_not_logged(caplog: pytest.LogCaptureFixture, seconds: float) -> None:
    with impatient(caplog, seconds) as client:
        assert client.get(MAPS).status_code == 200
    assert caplog.records == []
