from typing import Annotated, Any

import pytest
from pydantic import Field

from memkube.apimachinery.managed_fields import FieldSet, apply, record_update
from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.scalars import Time
from memkube.apimachinery.schema import struct_of
from tests.apimachinery.managed_fields.writers import LATER, NOW, owned, tracked, widget, writer
from tests.apimachinery.widgets import WIDGET

PARTS = [{"name": "app", "ports": [{"port": 80}, {"port": 80, "protocol": "UDP"}]}]


def created(document: Document) -> Document:
    return tracked(document, record_update(WIDGET, None, document, writer()))


def updated(live: Document, new: Document, manager: str = "two") -> list[Document]:
    sent = {**new, "metadata": {"managedFields": live["metadata"]["managedFields"], **new["metadata"]}}
    return record_update(WIDGET, live, sent, writer(manager, time=LATER))


def test_a_create_owns_what_differs_from_the_zero_value() -> None:
    document = widget({"size": 0, "parts": PARTS}, labels={"b": "", "a": ""}) | {"status": {"ready": 1}}
    (entry,) = record_update(WIDGET, None, document, writer())
    port: FieldSet = {".": {}, "f:port": {}}
    assert entry["fieldsV1"] == {
        "f:metadata": {"f:labels": {".": {}, "f:a": {}, "f:b": {}}},
        "f:spec": {
            "f:parts": {
                'k:{"name":"app"}': {
                    ".": {},
                    "f:name": {},
                    "f:ports": {
                        ".": {},
                        'k:{"port":80,"protocol":"TCP"}': port,
                        'k:{"port":80,"protocol":"UDP"}': {**port, "f:protocol": {}},
                    },
                }
            },
            "f:size": {},
        },
    }


def test_an_entry_is_written_in_the_order_of_the_reference() -> None:
    (entry,) = record_update(WIDGET, None, widget({"size": 1}), writer(subresource="scale"))
    assert list(entry.items()) == [
        ("manager", "one"),
        ("operation", "Update"),
        ("apiVersion", "example.com/v1"),
        ("time", NOW),
        ("fieldsType", "FieldsV1"),
        ("fieldsV1", {"f:spec": {"f:size": {}}}),
        ("subresource", "scale"),
    ]


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        ({"tags": ["b", "a"]}, {"f:tags": {".": {}, 'v:"a"': {}, 'v:"b"': {}}}),
        ({"tags": ["a", "a"]}, {"f:tags": {".": {}, 'v:"a"': {}}}),
        ({"selector": {"matchLabels": {"a": "b"}}}, {"f:selector": {}}),
        ({"limits": {}}, {"f:limits": {}}),
    ],
)
def test_ownership_by_the_type_of_list_and_struct(spec: dict[str, Any], fields: dict[str, Any]) -> None:
    (entry,) = record_update(WIDGET, None, widget(spec), writer())
    assert entry["fieldsV1"] == {"f:spec": fields}


def test_an_object_without_ownable_fields_is_not_tracked() -> None:
    assert record_update(WIDGET, None, widget(), writer()) == []


def test_a_changed_value_changes_hands() -> None:
    live = created(widget({"size": 1, "paused": True}))
    managed = updated(live, widget({"size": 2, "paused": True}))
    assert owned(managed) == {"one": {"f:spec": {"f:paused": {}}}, "two": {"f:spec": {"f:size": {}}}}


def test_an_equal_value_does_not() -> None:
    live = created(widget({"size": 1}))
    assert updated(live, widget({"size": 1})) == live["metadata"]["managedFields"]


def test_a_removed_value_is_owned_by_nobody() -> None:
    live = created(widget({"size": 1, "paused": True}))
    assert owned(updated(live, widget({"paused": True}))) == {"one": {"f:spec": {"f:paused": {}}}}


def test_updates_of_one_manager_share_an_entry_with_the_time_of_the_last() -> None:
    live = created(widget({"size": 1}))
    (entry,) = updated(live, widget({"size": 1, "paused": True}), "one")
    assert (entry["time"], entry["fieldsV1"]) == (LATER, {"f:spec": {"f:paused": {}, "f:size": {}}})


def test_an_item_added_and_one_removed() -> None:
    live = created(widget({"parts": [{"name": "a"}]}))
    managed = updated(live, widget({"parts": [{"name": "b"}]}))
    assert owned(managed) == {"two": {"f:spec": {"f:parts": {'k:{"name":"b"}': {".": {}, "f:name": {}}}}}}


def test_what_the_strategy_resets_is_not_owned() -> None:
    live = created(widget({"size": 1}))
    new = {**widget({"size": 2}), "status": {"ready": 3}}
    assert owned(updated(live, new))["two"] == {"f:spec": {"f:size": {}}}


@pytest.mark.parametrize("sent", [[], [{}], [{"manager": "", "fieldsV1": None}]])
def test_empty_managed_fields_clear(sent: list[Document]) -> None:
    live = created(widget({"size": 1}))
    assert updated(live, widget({"size": 2}, managedFields=sent)) == []


def test_once_cleared_updates_track_nothing() -> None:
    assert record_update(WIDGET, widget({"size": 1}), widget({"size": 2}), writer()) == []


@pytest.mark.parametrize(
    "change",
    [
        {"operation": "Merge"},
        {"operation": ""},
        {"apiVersion": ""},
        {"fieldsType": "FieldsV2"},
        {"fieldsType": ""},
        {"fieldsV1": {"metadata": {}}},
        {"fieldsV1": {"f:spec": 1}},
    ],
)
def test_malformed_managed_fields_are_ignored(change: dict[str, Any]) -> None:
    live = created(widget({"size": 1}))
    entry = {**live["metadata"]["managedFields"][0], "manager": "other", **change}
    assert updated(live, widget({"size": 1}, managedFields=[entry])) == live["metadata"]["managedFields"]


def test_well_formed_ones_replace_what_was_stored() -> None:
    live = created(widget({"size": 1}))
    entry = {**live["metadata"]["managedFields"][0], "manager": "other"}
    assert updated(live, widget({"size": 1}, managedFields=[entry])) == [entry]


def test_those_of_another_version_are_dropped() -> None:
    live = created(widget({"size": 1}))
    entry = {**live["metadata"]["managedFields"][0], "apiVersion": "v9"}
    assert updated(live, widget({"size": 1}, managedFields=[entry])) == []


def test_parts_of_what_is_owned_as_one_are_joined() -> None:
    live = created(widget({"size": 1}))
    fields: FieldSet = {"f:spec": {"f:selector": {"f:matchLabels": {}}}}
    entry = {**live["metadata"]["managedFields"][0], "fieldsV1": fields}
    assert owned(updated(live, widget({"size": 1}, managedFields=[entry]))) == {"one": {"f:spec": {"f:selector": {}}}}


def test_managed_fields_sent_through_a_subresource_are_ignored() -> None:
    live = created(widget({"size": 1}) | {"status": {}})
    new = widget({"size": 1}, managedFields=[]) | {"status": {"ready": 1}}
    status = writer("two", time=LATER, subresource="status", reset="spec")
    managed = record_update(WIDGET, live, new, status)
    assert owned(managed) == {"one": {"f:spec": {"f:size": {}}}, "two": {"f:status": {"f:ready": {}}}}


@pytest.mark.parametrize(("parts", "fields"), [([], {"f:spec": {"f:parts": {}}}), (None, None)])
def test_an_empty_list_is_not_the_null_that_a_new_object_has(parts: Any, fields: Any) -> None:
    entries = record_update(WIDGET, None, widget({"parts": parts}), writer())
    assert [entry["fieldsV1"] for entry in entries] == ([fields] if fields else [])


def test_a_create_takes_over_what_sent_managed_fields_claim() -> None:
    entry = {"manager": "other", "operation": "Apply", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1"}
    claimed = {**entry, "fieldsV1": {"f:spec": {"f:size": {}}}}
    managed = record_update(WIDGET, None, widget({"size": 1}, managedFields=[claimed]), writer())
    assert owned(managed) == {"one": {"f:spec": {"f:size": {}}}}


def test_the_eleventh_updater_makes_the_two_oldest_one() -> None:
    live = created(widget({"limits": {"k0": ""}}))
    for number in range(1, 11):
        new = widget({"limits": {f"k{key}": "" for key in range(number + 1)}})
        metadata = {**new["metadata"], "managedFields": live["metadata"]["managedFields"]}
        at = writer(f"m{number}", time=f"2026-01-01T00:00:{number:02}Z")
        live = tracked(new, record_update(WIDGET, live, {**new, "metadata": metadata}, at))
    managed = owned(live["metadata"]["managedFields"])
    assert len(managed) == 10
    assert managed["ancient-changes"] == {"f:spec": {"f:limits": {".": {}, "f:k0": {}, "f:k1": {}}}}


class Part(ApiModel):
    name: str = ""


class Report(ApiModel):
    kind: str = ""
    apiVersion: str = ""
    metadata: ObjectMeta = Field(default_factory=ObjectMeta)
    since: Annotated[Time | None, Always()] = None
    part: Annotated[Part | None, Required()] = None


@pytest.mark.parametrize(
    ("report", "owned"),
    [
        ({}, []),
        ({"since": "2026-01-01T00:00:00Z"}, [{"f:since": {}}]),
        ({"part": {"name": "a"}}, [{"f:part": {"f:name": {}}}]),
    ],
)
def test_nobody_owns_what_a_new_object_shows_as_null(report: dict[str, Any], owned: list[Any]) -> None:
    document = Report.from_document(report).to_document()
    assert {"since", "part"} <= document.keys()
    entries = record_update(struct_of(Report), None, document, writer())
    assert [entry["fieldsV1"] for entry in entries] == owned


def live(api_version: str) -> Document:
    document = widget({"size": 1})
    return tracked(document, record_update(WIDGET, None, document, writer()._replace(api_version=api_version)))


def test_what_was_owned_through_another_group_is_forgotten() -> None:
    changed = widget({"size": 1, "paused": True})
    managed = record_update(WIDGET, live("other.com/v1"), changed, writer("two", time=LATER))
    assert owned(managed) == {"two": {"f:spec": {"f:paused": {}}}}


def test_what_was_owned_through_another_version_stays() -> None:
    changed = widget({"size": 1, "paused": True})
    managed = record_update(WIDGET, live("example.com/v2"), changed, writer("two", time=LATER))
    assert owned(managed) == {"one": {"f:spec": {"f:size": {}}}, "two": {"f:spec": {"f:paused": {}}}}


def test_an_applier_meets_no_conflict_with_another_group() -> None:
    applied = apply(WIDGET, live("other.com/v1"), widget({"size": 2}), writer("two"), force=False)
    assert owned(applied["metadata"]["managedFields"]) == {"two": {"f:spec": {"f:size": {}}}}
