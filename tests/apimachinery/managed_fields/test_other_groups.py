from dataclasses import replace

from memkube.apimachinery.managed_fields import apply, record_update
from memkube.apimachinery.model import Document
from tests.apimachinery.managed_fields.writers import LATER, owned, tracked, widget, writer
from tests.apimachinery.widgets import WIDGET


def live(api_version: str) -> Document:
    document = widget({"size": 1})
    return tracked(document, record_update(WIDGET, None, document, replace(writer(), api_version=api_version)))


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
