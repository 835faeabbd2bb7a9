from typing import Any

import pytest

from memkube.apis.core.v1.events.resource import SELECTABLE, selectable_fields
from memkube.apis.core.v1.events.types import Event


def fields(**event: Any) -> dict[str, str]:
    return dict(selectable_fields(Event.from_document({"metadata": {"name": "a"}, **event}).to_document()))


def test_events_have_a_value_for_each_field_that_selects_them() -> None:
    assert fields().keys() == SELECTABLE


def test_events_are_selected_by_the_object_that_they_are_about() -> None:
    found = fields(involvedObject={"kind": "Pod", "fieldPath": "spec"})
    assert (found["involvedObject.kind"], found["involvedObject.fieldPath"]) == ("Pod", "spec")


@pytest.mark.parametrize(
    ("event", "source"),
    [
        ({"source": {"component": "kubelet"}, "reportingComponent": "x"}, "kubelet"),
        ({"reportingComponent": "x"}, "x"),
    ],
)
def test_whoever_reports_is_the_source_where_none_is_told(event: dict[str, Any], source: str) -> None:
    assert fields(**event)["source"] == source
