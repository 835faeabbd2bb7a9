"""A hunt knows for how long the probes of a pod may delay its readiness."""

from datetime import UTC, datetime, timedelta
from typing import Any

from memkube.hunting.probes import seconds_until_ready

STARTED = datetime(2026, 1, 5, 8, tzinfo=UTC)


def pod(probe: dict[str, int] | None, **status: Any) -> dict[str, Any]:
    running = {"name": "a", "ready": False, "state": {"running": {"startedAt": "2026-01-05T08:00:00Z"}}, **status}
    container = {"name": "a", "readinessProbe": probe} if probe is not None else {"name": "a"}
    return {"spec": {"containers": [container]}, "status": {"containerStatuses": [running]}}


def test_a_probe_needs_its_delay_and_one_period() -> None:
    probe = {"initialDelaySeconds": 5, "periodSeconds": 2}
    assert seconds_until_ready(pod(probe), STARTED) == 8


def test_the_time_for_probes_is_over_later() -> None:
    assert seconds_until_ready(pod({"periodSeconds": 2}), STARTED + timedelta(seconds=9)) == 0


def test_no_time_is_given_to_a_container_that_is_ready() -> None:
    assert seconds_until_ready(pod({"periodSeconds": 2}, ready=True), STARTED) == 0


def test_no_time_is_given_to_a_container_that_has_restarted() -> None:
    assert seconds_until_ready(pod({"periodSeconds": 2}, restartCount=1), STARTED) == 0


def test_no_time_is_given_to_a_container_without_probes() -> None:
    assert seconds_until_ready(pod(None), STARTED) == 0
