import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkube.apimachinery.managed_fields import ApplyConflict, ApplyError, apply, keep_timestamps, record_update
from memkube.apimachinery.model import Document
from tests.apimachinery.managed_fields.writers import LATER, NOW, owned, tracked, widget, writer
from tests.apimachinery.widgets import WIDGET

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def applied(live: Document | None, config: Document, manager: str = "one", *, force: bool = False) -> Document:
    time = NOW if live is None else LATER
    return stored(apply(WIDGET, live, config, writer(manager, time=time), force=force))


def stored(document: Document) -> Document:
    """Return the document as it is stored: `parts` is null instead of empty."""
    spec = document.get("spec") or {}
    return {**document, "spec": {**spec, "parts": spec["parts"] or None}} if "parts" in spec else document


def managed(document: Document) -> dict[str, Any]:
    return owned(document["metadata"].get("managedFields", []))


def made(document: Document, manager: str = "maker") -> Document:
    return stored(tracked(document, record_update(WIDGET, None, document, writer(manager))))


def names(document: Document) -> list[str]:
    return [part["name"] for part in document["spec"]["parts"]]


def test_an_applier_owns_what_it_mentions() -> None:
    result = applied(None, widget({"parts": [{"name": "app", "image": "x"}]}, labels={"a": "b"}))
    assert managed(result)["one"] == {
        "f:metadata": {"f:labels": {"f:a": {}}},
        "f:spec": {"f:parts": {'k:{"name":"app"}': {".": {}, "f:image": {}, "f:name": {}}}},
    }


def test_a_missing_object_starts_from_the_zero_value() -> None:
    result = applied(None, widget({"size": 1}))
    assert result["spec"] == {"parts": None, "size": 1}


def test_empty_maps_are_owned_and_empty_lists_are_not() -> None:
    assert managed(applied(None, widget({"limits": {}, "parts": []}))) == {"one": {"f:spec": {"f:limits": {}}}}


def test_the_same_configuration_keeps_the_time() -> None:
    live = applied(None, widget({"size": 1}))
    assert applied(live, widget({"size": 1})) == live


def test_sharing_a_value_without_changing_anything_has_no_time() -> None:
    live = applied(None, widget({"size": 1}))
    result = applied(live, widget({"size": 1}), "two")
    assert [entry.get("time") for entry in result["metadata"]["managedFields"]] == [None, NOW]


def test_what_is_no_longer_applied_is_removed() -> None:
    live = applied(None, widget({"size": 1, "limits": {"a": "1", "b": "2"}}))
    assert applied(live, widget({"limits": {"b": "2"}}))["spec"] == {"parts": None, "limits": {"b": "2"}}


def test_what_others_own_stays() -> None:
    live = applied(applied(None, widget({"size": 1})), widget({"size": 1}), "two")
    result = applied(live, widget())
    assert result["spec"]["size"] == 1
    assert managed(result) == {"two": {"f:spec": {"f:size": {}}}}


def test_an_item_goes_with_the_defaults_in_it() -> None:
    live = applied(None, widget({"parts": [{"name": "a"}, {"name": "b"}]}))
    live["spec"]["parts"][1]["image"] = "default"
    assert applied(live, widget({"parts": [{"name": "a"}]}))["spec"]["parts"] == [{"name": "a"}]


def test_an_item_in_which_another_owns_a_field_stays() -> None:
    live = applied(None, widget({"parts": [{"name": "a", "image": "x"}]}))
    live = applied(live, widget({"parts": [{"name": "a", "args": ["q"]}]}), "two")
    assert applied(live, widget({}))["spec"]["parts"] == [{"name": "a", "args": ["q"]}]


@pytest.mark.parametrize(
    ("live", "config", "expected"),
    [
        ("abc", "cba", "cba"),
        ("abc", "d", "abcd"),
        ("abc", "db", "adbc"),
        ("abc", "ca", "bca"),
        ("", "ab", "ab"),
    ],
)
def test_items_come_in_the_order_of_the_configuration(live: str, config: str, expected: str) -> None:
    before = made(widget({"parts": [{"name": name} for name in live]}))
    result = applied(before, widget({"parts": [{"name": name} for name in config]}), force=True)
    assert names(result) == list(expected)


def test_null_keeps_what_a_map_holds() -> None:
    live = made(widget({"limits": {"a": "1"}}))
    assert applied(live, widget({"limits": None}))["spec"]["limits"] == {"a": "1"}


def test_another_value_conflicts_with_its_owners() -> None:
    live = applied(made(widget({"size": 1, "limits": {"a": "1"}})), widget({"paused": True}), "two")
    with pytest.raises(ApplyConflict) as caught:
        applied(live, widget({"size": 2, "limits": {"a": "2"}, "paused": False}))
    assert caught.value.message == (
        'Apply failed with 3 conflicts: conflicts with "maker" using example.com/v1:\n'
        "- .spec.size\n- .spec.limits.a\n"
        'conflicts with "two":\n- .spec.paused'
    )


def test_one_conflict_is_told_in_one_line() -> None:
    live = apply(
        WIDGET, None, widget({"parts": [{"name": "a", "image": "x"}]}), writer(subresource="status"), force=False
    )
    with pytest.raises(ApplyConflict) as caught:
        applied(live, widget({"parts": [{"name": "a", "image": "y"}]}))
    manager = '"one" with subresource "status"'
    assert caught.value.message == (
        f'Apply failed with 1 conflict: conflict with {manager}: .spec.parts[name="a"].image'
    )
    cause = ("FieldManagerConflict", f"conflict with {manager}", '.spec.parts[name="a"].image')
    assert caught.value.causes == [cause]


def test_force_takes_a_field_and_leaves_the_others() -> None:
    live = made(widget({"size": 1, "paused": True}))
    result = applied(live, widget({"size": 2}), force=True)
    assert managed(result) == {"maker": {"f:spec": {"f:paused": {}}}, "one": {"f:spec": {"f:size": {}}}}


def test_what_was_there_before_the_first_apply_has_an_owner() -> None:
    with pytest.raises(ApplyConflict, match='conflict with "before-first-apply" using example'):
        applied(widget({"size": 1}, uid="u"), widget({"size": 2}))


@pytest.mark.parametrize(
    ("config", "code", "text"),
    [
        ({"apiVersion": "v1", "kind": "Widget"}, 400, "invalid object type: /v1, Kind=Widget"),
        ({"apiVersion": "a/b/c", "kind": "Widget"}, 400, "invalid object type: /, Kind="),
        ({"apiVersion": "example.com/v1"}, 400, "invalid object type: example.com/v1, Kind="),
        (widget(managedFields=[]), 400, "metadata.managedFields must be nil"),
    ],
)
def test_configurations_of_another_kind(config: Document, code: int, text: str) -> None:
    with pytest.raises(ApplyError) as caught:
        applied(None, config)
    assert (caught.value.code, caught.value.message) == (code, text)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"colour": 1}, ".spec.colour: field not declared in schema"),
        ([], ".spec: expected map, got &{[]}"),
        ({"parts": "x"}, ".spec.parts: expected list, got &{x}"),
        ({"parts": [None]}, ".spec.parts: element 0: associative list with keys may not have a null element"),
        ({"parts": [{"name": "a"}] * 2}, '.spec.parts: duplicate entries for key [name="a"]'),
        ({"limits": {"a": 1}}, ".spec.limits.a: expected string, got &value.valueUnstructured{Value:1}"),
        ({"parts": [{"name": "a", "args": "x"}]}, '.spec.parts[name="a"].args: expected list, got &{x}'),
        ({"tags": ["a", "a"]}, '.spec.tags: duplicate entries for key [="a"]'),
        ({"size": "1"}, ".spec.size: expected numeric (int or float), got string"),
        ({"paused": "true"}, ".spec.paused: expected boolean, got &{true}"),
    ],
)  # fmt: skip
def test_configurations_that_do_not_fit_the_schema(spec: Any, problem: str) -> None:
    with pytest.raises(ApplyError) as caught:
        applied(None, widget(spec))
    prefix = "failed to create typed patch object (/web; example.com/v1, Kind=Widget): "
    assert (caught.value.code, caught.value.message) == (500, prefix + problem)


def test_items_of_atomic_lists_are_checked_too() -> None:
    with pytest.raises(ApplyError, match=r'\.spec\.parts\[name="a"\]\.args\[1\]: expected string, got'):
        applied(None, widget({"parts": [{"name": "a", "args": ["x", 1]}]}))


@pytest.mark.parametrize("metadata", [None, {}])
def test_metadata_may_be_missing(metadata: Any) -> None:
    config = {**widget({"size": 1}), "metadata": metadata}
    assert managed(applied(None, config)) == {"one": {"f:spec": {"f:size": {}}}}


def test_several_problems_are_listed() -> None:
    with pytest.raises(ApplyError, match=r": errors:\n  \.spec\.size: .*\n  \.spec\.paused: "):
        applied(None, widget({"size": "1", "paused": 1}))


def test_an_item_without_its_key_has_the_zero_value_for_it() -> None:
    result = applied(None, widget({"parts": [{"image": "x"}]}))
    assert 'k:{"name":""}' in managed(result)["one"]["f:spec"]["f:parts"]


def test_kubectl_takes_over_what_it_applied_client_side() -> None:
    config = widget({"size": 1})
    live = made(widget({"size": 1}, annotations={LAST_APPLIED: json.dumps(config)}))
    result = applied(live, widget({"size": 2}), "kubectl")
    assert result["spec"]["size"] == 2
    assert json.loads(result["metadata"]["annotations"][LAST_APPLIED]) == widget({"size": 2})


def test_kubectl_still_conflicts_over_what_has_changed_since() -> None:
    live = made(widget({"size": 3}, annotations={LAST_APPLIED: json.dumps(widget({"size": 1}))}))
    with pytest.raises(ApplyConflict):
        applied(live, widget({"size": 2}), "kubectl")


def test_only_times_differ_so_the_stored_ones_stay() -> None:
    live = applied(None, widget({"size": 1}))
    later = [{**entry, "time": LATER} for entry in live["metadata"]["managedFields"]]
    assert keep_timestamps(live, tracked(live, later)) == live
    changed = tracked({**live, "spec": {"size": 2}}, later)
    assert keep_timestamps(live, changed) is changed


labels = st.dictionaries(st.sampled_from("abcd"), st.sampled_from("xyz"), max_size=4)
parts = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from("abcd")}, optional={"image": st.sampled_from("xyz")}),
    unique_by=lambda part: part["name"],
    max_size=4,
)
specs = st.fixed_dictionaries({}, optional={"parts": parts, "limits": labels, "size": st.integers(0, 3)})


@settings(deadline=None)
@given(specs, specs)
def test_applying_twice_is_applying_once(before: dict[str, Any], spec: dict[str, Any]) -> None:
    once = applied(made(widget(before)), widget(spec), force=True)
    assert applied(once, widget(spec), force=True) == once


@settings(deadline=None)
@given(specs, specs)
def test_the_last_configuration_decides_what_an_applier_owns(before: dict[str, Any], spec: dict[str, Any]) -> None:
    result = applied(applied(None, widget(before)), widget(spec))
    assert managed(result) == managed(applied(None, widget(spec)))


@settings(deadline=None)
@given(labels, st.sets(st.sampled_from("abcd")))
def test_applying_disjoint_fields_commutes(limits: dict[str, str], mine: set[str]) -> None:
    one = widget({"limits": {key: value for key, value in limits.items() if key in mine}})
    two = widget({"limits": {key: value for key, value in limits.items() if key not in mine}})
    base = made(widget({"size": 1, "limits": {"z": ""}}))
    first = applied(applied(base, one, "one"), two, "two")
    second = applied(applied(base, two, "two"), one, "one")
    assert (first["spec"], managed(first)) == (second["spec"], managed(second))
