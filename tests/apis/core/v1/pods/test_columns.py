from datetime import UTC, datetime
from typing import Any

import pytest

from memkube.apis.core.v1.pods.columns import PRINTER
from memkube.registry.table import Row

NOW = datetime(2026, 1, 1, 0, 5, tzinfo=UTC)
RESTARTS, GATES = 3, 8


def row(spec: dict[str, Any] | None = None, **status: Any) -> Row:
    metadata = {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"}
    return PRINTER.row(
        {"metadata": metadata, "spec": {"containers": [{"name": "app"}], **(spec or {})}, "status": status}
    )


def test_what_a_new_pod_lacks_is_shown_as_none() -> None:
    assert row(phase="Pending").at(NOW) == ["a", "0/1", "Pending", "0", "5m", *["<none>"] * 4]


def test_the_wide_form_shows_where_the_pod_is() -> None:
    shown = row({"nodeName": "node-1"}, podIPs=[{"ip": "10.0.0.7"}, {"ip": "fd00::7"}], nominatedNodeName="node-2")
    assert shown.at(NOW)[5:8] == ["10.0.0.7", "node-1", "node-2"]


@pytest.mark.parametrize(
    ("count", "finished", "shown"),
    [
        (2, "2026-01-01T00:04:00Z", "2 (60s ago)"),
        (2, None, "2"),
        (0, "2026-01-01T00:04:00Z", "0"),
    ],
)
def test_restarts_tell_when_the_last_one_was(count: int, finished: str | None, shown: str) -> None:
    ended = {"terminated": {"exitCode": 1, "finishedAt": finished}}
    status = {"name": "app", "restartCount": count, "lastState": ended}
    assert row(phase="Running", containerStatuses=[status]).at(NOW)[RESTARTS] == shown


def test_a_readiness_gate_needs_its_condition_to_be_true() -> None:
    gates = [{"conditionType": "a"}, {"conditionType": "b"}, {"conditionType": "c"}]
    conditions = [{"type": "a", "status": "True"}, {"type": "b", "status": "False"}]
    assert row({"readinessGates": gates}, conditions=conditions).at(NOW)[GATES] == "1/3"


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_the_row_of_an_ended_pod_is_completed(phase: str) -> None:
    (condition,) = row(phase=phase).conditions
    assert (condition["type"], condition["status"], condition["reason"]) == ("Completed", "True", phase)


def test_the_row_of_a_running_pod_has_no_conditions() -> None:
    assert not row(phase="Running").conditions
