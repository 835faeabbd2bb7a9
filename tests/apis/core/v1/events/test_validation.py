from typing import Any

import pytest

from memkube.apis.core.v1.events.strategy import (
    validate_event,
    validate_event_update_strictly,
    validate_new_event_strictly,
)
from memkube.apis.core.v1.events.types import Event

DATED: dict[str, Any] = {
    "eventTime": "2026-01-02T03:04:05.000006Z",
    "reportingComponent": "example.com/controller",
    "reportingInstance": "controller-1",
    "action": "Starting",
    "reason": "Started",
    "message": "it started",
    "type": "Normal",
}


def event(namespace: str = "a", involved: str = "a", **fields: Any) -> Event:
    metadata = {"name": "web.1", "namespace": namespace, "resourceVersion": "1"}
    return Event.from_document({"metadata": metadata, "involvedObject": {"namespace": involved}, **fields})


@pytest.mark.parametrize(
    ("namespace", "involved", "right"),
    [("a", "a", True), ("a", "b", False), ("a", "", False), ("default", "", True), ("kube-system", "", False)],
)
def test_an_old_event_is_about_an_object_of_its_namespace(namespace: str, involved: str, right: bool) -> None:
    assert (not validate_event(event(namespace, involved))) == right


@pytest.mark.parametrize(
    ("namespace", "involved", "right"),
    [("a", "b", True), ("a", "", False), ("default", "", True), ("kube-system", "", True)],
)
def test_a_dated_event_may_be_about_an_object_elsewhere(namespace: str, involved: str, right: bool) -> None:
    assert (not validate_event(event(namespace, involved, **DATED))) == right


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("reportingInstance", "", "reportingInstance: Required value"),
        ("reportingInstance", "x" * 129, 'reportingInstance: Invalid value: "": can have at most 128 characters'),
        ("action", "", "action: Required value"),
        ("reason", "x" * 129, 'reason: Invalid value: "": can have at most 128 characters'),
        ("message", "x" * 1025, 'message: Invalid value: "": can have at most 1024 characters'),
    ],
)
def test_a_dated_event_tells_what_happened_in_few_words(name: str, value: str, error: str) -> None:
    assert [str(e) for e in validate_event(event(**DATED | {name: value}))] == [error]


@pytest.mark.parametrize("strict", [False, True])
def test_messages_name_the_reporter_as_the_client_does(strict: bool) -> None:
    nameless = event(**DATED | {"reportingComponent": ""})
    errors = validate_new_event_strictly(nameless) if strict else validate_event(nameless)
    assert {error.field for error in errors} == {"reportingController" if strict else "reportingComponent"}


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"type": "Odd"}, 'type: Invalid value: "": has invalid value: Odd'),
        ({"count": 1}, 'count: Invalid value: "": needs to be unset'),
        ({"source": {"host": "x"}}, 'source: Invalid value: "": needs to be unset'),
        ({"lastTimestamp": "2026-01-01T00:00:00Z"}, 'lastTimestamp: Invalid value: "": needs to be unset'),
        (
            {"series": {"count": 1, "lastObservedTime": "2026-01-01T00:00:00.000000Z"}},
            'series.count: Invalid value: "": should be at least 2',
        ),
        ({"series": {"count": 2}}, "series.lastObservedTime: Required value"),
    ],
)
def test_strict_rules_keep_new_events_free_of_old_habits(fields: dict[str, Any], error: str) -> None:
    assert [str(e) for e in validate_new_event_strictly(event(**DATED | fields))] == [error]


def test_by_strict_rules_an_event_has_a_date() -> None:
    assert [str(e) for e in validate_new_event_strictly(event(type="Normal"))] == ["eventTime: Required value"]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"message": "other"}, 'message: Invalid value: "other": field is immutable'),
        (
            {"involvedObject": {"namespace": "a", "uid": "1"}},
            (
                'involvedObject: Invalid value: {"Kind":"","Namespace":"a","Name":"","UID":"1","APIVersion":"",'
                '"ResourceVersion":"","FieldPath":""}: field is immutable'
            ),
        ),
        ({"reportingComponent": "x"}, 'reportingController: Invalid value: "x": field is immutable'),
    ],
)
def test_by_strict_rules_events_do_not_change(fields: dict[str, Any], error: str) -> None:
    old = event(**DATED)
    new = Event.from_document(old.to_document() | fields)
    assert [str(e) for e in validate_event_update_strictly(new, old)] == [error]


def test_a_changed_reason_is_told_twice() -> None:
    errors = validate_event_update_strictly(event(**DATED | {"reason": "x"}), event(**DATED))
    assert [error.field for error in errors] == ["reason", "reason"]


def test_the_series_may_go_on() -> None:
    series = {"count": 2, "lastObservedTime": "2026-01-01T00:00:00.000000Z"}
    assert validate_event_update_strictly(event(**DATED, series=series), event(**DATED)) == []
