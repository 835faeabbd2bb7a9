from typing import Any

from memkube.apis.core.v1.events.types import Event as CoreEvent
from memkube.apis.events.v1.events.columns import selectable_fields
from memkube.apis.events.v1.events.conversion import from_core, to_core
from memkube.apis.events.v1.events.resource import RESOURCE
from memkube.apis.events.v1.events.types import Event

CORE: dict[str, Any] = {
    "kind": "Event",
    "apiVersion": "v1",
    "metadata": {"name": "a"},
    "involvedObject": {"kind": "Pod"},
    "reason": "Started",
    "message": "it started",
    "source": {"component": "kubelet"},
    "firstTimestamp": "2026-01-01T00:00:00Z",
    "lastTimestamp": None,
    "count": 3,
    "type": "Normal",
    "eventTime": "2026-01-01T00:00:00.000000Z",
    "series": {"lastObservedTime": None},
    "action": "Starting",
    "related": {"name": "b"},
    "reportingComponent": "",
    "reportingInstance": "",
}


def test_fields_change_their_names_and_keep_their_values() -> None:
    shown = from_core(CORE)
    assert shown["regarding"] == {"kind": "Pod"}
    assert (shown["note"], shown["deprecatedCount"]) == ("it started", 3)
    assert shown["apiVersion"] == "events.k8s.io/v1"


def test_each_form_leaves_out_its_own_zero_values() -> None:
    shown = from_core(CORE)
    assert "reportingController" not in shown
    assert shown["series"] == {"count": 0, "lastObservedTime": None}


def test_nothing_is_lost_on_the_way_there_and_back() -> None:
    assert list(to_core(from_core(CORE)).items()) == list(CORE.items())
    bare = CoreEvent.from_document({"kind": "Event", "apiVersion": "v1"}).to_document()
    assert to_core(from_core(bare)) == bare


def test_fields_select_by_their_names_in_this_form() -> None:
    fields = selectable_fields(from_core(CORE))
    assert fields.keys() == RESOURCE.fields.labels
    assert fields["regarding.kind"] == "Pod"


def test_both_resources_keep_their_objects_in_one_place() -> None:
    assert RESOURCE.key_prefix == "/core/events/"
    assert RESOURCE.stored_as.group == ""


def test_an_event_is_dated_even_where_it_is_not() -> None:
    assert Event().to_document()["eventTime"] is None
