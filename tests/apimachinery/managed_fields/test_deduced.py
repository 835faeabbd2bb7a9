from typing import Any

from memkube.apimachinery.managed_fields import DEDUCED, apply, record_update
from memkube.apimachinery.model import Document
from tests.apimachinery.managed_fields.writers import owned, tracked, widget, writer


def created(spec: Any) -> Document:
    document = widget(spec)
    return tracked(document, record_update(DEDUCED, None, document, writer()))


def test_objects_are_owned_by_their_keys_and_lists_as_one() -> None:
    live = created({"any": {"thing": [1, "two", None]}})
    assert owned(live["metadata"]["managedFields"])["one"] == {
        "f:spec": {".": {}, "f:any": {".": {}, "f:thing": {}}},
    }


def test_a_value_may_change_its_type() -> None:
    live = created({"a": {"b": 1}, "c": 1})
    new = tracked(widget({"a": "text", "c": 1}), live["metadata"]["managedFields"])
    managed = owned(record_update(DEDUCED, live, new, writer("two")))
    assert managed == {"one": {"f:spec": {".": {}, "f:c": {}}}, "two": {"f:spec": {"f:a": {}}}}


def test_apply_merges_objects_and_replaces_lists() -> None:
    live = created({"a": {"b": 1}, "list": [1]})
    result = apply(DEDUCED, live, widget({"a": {"c": 2}, "list": [2]}), writer("two"), force=True)
    assert result["spec"] == {"a": {"b": 1, "c": 2}, "list": [2]}
