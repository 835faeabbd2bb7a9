from datetime import UTC, datetime
from typing import Any

import pytest

from memkube.apis.core.v1.events.columns import PRINTER

NOW = datetime(2026, 1, 1, 1, tzinfo=UTC)
LAST_SEEN, OBJECT, SOURCE, MESSAGE, FIRST_SEEN, COUNT = 0, 3, 5, 6, 7, 8


def cells(**fields: Any) -> list[Any]:
    return PRINTER.row({"metadata": {"name": "a"}, "involvedObject": {}, **fields}).at(NOW)


def test_an_event_shows_its_fields() -> None:
    assert cells(
        type="Normal",
        reason="Started",
        involvedObject={"kind": "Pod", "name": "web", "fieldPath": "spec.containers{app}"},
        source={"component": "kubelet", "host": "node-1"},
        message=" Started it\n",
        count=3,
        firstTimestamp="2026-01-01T00:00:00Z",
        lastTimestamp="2026-01-01T00:59:00Z",
    ) == [
        "60s", "Normal", "Started", "pod/web", "spec.containers{app}", "kubelet, node-1", "Started it", "60m", 3, "a",
    ]  # fmt: skip


def test_an_event_without_times_was_seen_once_nobody_knows_when() -> None:
    shown = cells()
    assert (shown[LAST_SEEN], shown[FIRST_SEEN], shown[COUNT]) == ("<unknown>", "<unknown>", 1)


def test_the_time_of_the_event_stands_in_for_missing_times() -> None:
    shown = cells(eventTime="2026-01-01T00:30:00.000000Z", firstTimestamp=None, lastTimestamp=None)
    assert (shown[LAST_SEEN], shown[FIRST_SEEN]) == ("30m", "30m")


def test_a_series_says_when_and_how_often() -> None:
    series = {"count": 7, "lastObservedTime": "2026-01-01T00:59:30.000000Z"}
    shown = cells(series=series, count=2, lastTimestamp="2026-01-01T00:00:00Z")
    assert (shown[LAST_SEEN], shown[COUNT]) == ("30s", 7)


def test_an_object_without_a_name_is_its_kind() -> None:
    assert cells(involvedObject={"kind": "Node"})[OBJECT] == "node"


@pytest.mark.parametrize(("source", "shown"), [({}, "controller, pod-1"), ({"component": "kubelet"}, "kubelet, pod-1")])
def test_the_reporter_stands_in_for_a_missing_source(source: dict[str, str], shown: str) -> None:
    assert cells(source=source, reportingComponent="controller", reportingInstance="pod-1")[SOURCE] == shown
