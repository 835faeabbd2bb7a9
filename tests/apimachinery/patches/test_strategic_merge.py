from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkube.apimachinery.patches import PatchError, apply_strategic_merge_patch, quoted_strategic_patch
from memkube.apimachinery.schema import struct_of
from memkube.apis.apps.v1.controllerrevisions.types import ControllerRevision
from tests.apimachinery.widgets import WIDGET

LIVE: dict[str, Any] = {
    "metadata": {"labels": {"app": "web"}, "finalizers": ["a", "b"]},
    "spec": {
        "size": 1,
        "parts": [{"name": "one", "image": "x", "args": ["q"]}, {"name": "two", "image": "y"}],
        "tags": ["red", "blue"],
        "limits": {"cpu": "1"},
    },
}


def spec(patch: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = apply_strategic_merge_patch(LIVE, {"spec": patch}, WIDGET)["spec"]
    return result


def refusal(patch: Any) -> PatchError:
    with pytest.raises(PatchError) as caught:
        apply_strategic_merge_patch(LIVE, patch, WIDGET)
    return caught.value


def names(patch: dict[str, Any]) -> list[str]:
    return [part["name"] for part in spec(patch)["parts"]]


def test_items_merge_by_their_key() -> None:
    parts = spec({"parts": [{"name": "two", "image": "z"}]})["parts"]
    assert parts == [{"name": "one", "image": "x", "args": ["q"]}, {"name": "two", "image": "z"}]


def test_new_items_come_first() -> None:
    assert names({"parts": [{"name": "three"}]}) == ["three", "one", "two"]


def test_lists_without_a_merge_key_are_replaced() -> None:
    assert spec({"parts": [{"name": "one", "args": ["r"]}]})["parts"][0]["args"] == ["r"]


def test_a_struct_may_be_replaced_as_a_whole() -> None:
    live = {"spec": {"selector": {"matchLabels": {"a": "b"}}}}
    patch = {"spec": {"selector": {"matchLabels": {"c": "d"}}}}
    assert apply_strategic_merge_patch(live, patch, WIDGET) == patch


def test_an_item_is_deleted() -> None:
    assert names({"parts": [{"name": "one", "$patch": "delete"}]}) == ["two"]


def test_a_list_is_replaced() -> None:
    assert names({"parts": [{"$patch": "replace"}, {"name": "three"}]}) == ["three"]


def test_sets_merge_with_new_members_first() -> None:
    assert spec({"tags": ["green", "blue"]})["tags"] == ["green", "red", "blue"]


def test_members_of_a_set_are_deleted() -> None:
    assert spec({"$deleteFromPrimitiveList/tags": ["red"]})["tags"] == ["blue"]


def test_members_are_added_and_deleted_in_the_order_of_the_body() -> None:
    assert spec({"tags": ["red"], "$deleteFromPrimitiveList/tags": ["red"]})["tags"] == ["blue"]
    assert spec({"$deleteFromPrimitiveList/tags": ["red"], "tags": ["red"]})["tags"] == ["red", "blue"]


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"limits": {"memory": "2", "cpu": None}}, {"memory": "2"}),
        ({"limits": {"$patch": "replace", "memory": "2"}}, {"memory": "2"}),
        ({"limits": {"$patch": "delete"}}, {}),
        ({"limits": {"$retainKeys": ["memory"], "memory": "2"}}, {"memory": "2"}),
    ],
)
def test_a_patch_merges_or_replaces_a_map(patch: dict[str, Any], expected: dict[str, str]) -> None:
    assert spec(patch)["limits"] == expected


def test_null_deletes_and_a_missing_one_changes_nothing() -> None:
    assert "size" not in spec({"size": None, "paused": None})


def test_nulls_and_directives_in_new_values_are_dropped() -> None:
    assert spec({"selector": {"matchLabels": {"a": "b", "c": None}}})["selector"] == {"matchLabels": {"a": "b"}}


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"$setElementOrder/parts": [{"name": "two"}, {"name": "one"}]}, ["two", "one"]),
        ({"$setElementOrder/parts": [{"name": "two"}]}, ["one", "two"]),
        (
            {"$setElementOrder/parts": [{"name": "one"}, {"name": "three"}], "parts": [{"name": "three"}]},
            ["one", "three", "two"],
        ),
    ],
)
def test_the_patch_orders_items(patch: dict[str, Any], expected: list[str]) -> None:
    assert names(patch) == expected


@pytest.mark.parametrize(
    ("patch", "code", "text"),
    [
        ([], 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"),
        ({"spec": {"parts": [{"image": "z"}]}}, 500, "map: map[image:z] does not contain declared merge key: name"),
        ({"spec": {"parts": [{"$patch": "merge"}]}}, 500, "merging lists cannot yet be specified in the patch"),
        ({"spec": {"limits": {"$patch": 1}}}, 500, "unknown patch type: %!s(int64=1) in map: map[$patch:1]"),
        ({"spec": {"tags": [1]}}, 500, "list element types are not identical: [[red blue] [1]]"),
        ({"spec": {"$setElementOrder/parts": 1}}, 500, "expected a []interface {}, but received a int64"),
        ({"spec": {"$setElementOrder": []}}, 400, "invalid patch format of setElementOrder list"),
        ({"spec": {"$deleteFromPrimitiveListtags": []}}, 400, "invalid patch format of primitive list"),
        ({"spec": {"limits": {"$retainKeys": ["cpu"], "memory": "1"}}}, 400, "invalid patch format of retainKeys"),
    ],
)  # fmt: skip
def test_an_invalid_patch_is_refused(patch: Any, code: int, text: str) -> None:
    error = refusal(patch)
    assert (error.code, error.message) == (code, text)


def test_an_order_that_does_not_fit_is_quoted() -> None:
    error = refusal({"spec": {"$setElementOrder/parts": [{"name": "one"}], "parts": [{"name": "two"}]}})
    assert error.message == (
        "The order in patch list:\n[map[name:two]]\n doesn't match $setElementOrder list:\n[map[name:one]]\n"
    )


def test_the_root_can_be_replaced() -> None:
    assert apply_strategic_merge_patch(LIVE, {"$patch": "replace", "kind": "Widget"}, WIDGET) == {"kind": "Widget"}


def test_null_is_an_empty_patch() -> None:
    assert apply_strategic_merge_patch(LIVE, None, WIDGET) == LIVE


def test_messages_quote_what_merging_leaves_of_the_patch() -> None:
    patch = {"spec": {"limits": {"$retainKeys": ["cpu"], "cpu": 1}}}
    assert quoted_strategic_patch(LIVE, patch, WIDGET) == "map[spec:map[limits:map[cpu:1]]]"


def test_messages_quote_new_objects_without_their_directives() -> None:
    patch = {"spec": {"parts": {"a": [{"$patch": "replace"}], "b": {"$patch": "delete"}}}}
    assert quoted_strategic_patch(LIVE, patch, WIDGET) == "map[spec:map[parts:map[a:[]]]]"


def test_neither_argument_is_changed() -> None:
    patch = {"spec": {"parts": [{"name": "one", "$patch": "delete"}], "limits": {"$patch": "delete"}}}
    live, before = deepcopy(LIVE), deepcopy(patch)
    apply_strategic_merge_patch(LIVE, patch, WIDGET)
    assert (live, before) == (LIVE, patch)


parts = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from("abcd")}, optional={"image": st.sampled_from("xyz")}),
    unique_by=lambda part: part["name"],
    max_size=4,
)
tags = st.lists(st.sampled_from("abcd"), unique=True, max_size=4)
specs = st.fixed_dictionaries({}, optional={"parts": parts, "tags": tags, "size": st.integers(0, 3) | st.none()})


@settings(deadline=None)
@given(specs, specs)
def test_merging_twice_is_merging_once(live: dict[str, Any], patch: dict[str, Any]) -> None:
    once = apply_strategic_merge_patch({"spec": live}, {"spec": patch}, WIDGET)
    assert apply_strategic_merge_patch(once, {"spec": patch}, WIDGET) == once


def test_a_pointer_to_a_struct_passes_for_a_list_of_such_structs() -> None:
    error = refusal({"spec": {"selector": [], "$setElementOrder/selector": []}})
    assert (error.code, error.message) == (500, "no elements in any of the given slices")


def test_the_type_of_raw_data_is_named_without_its_package() -> None:
    with pytest.raises(PatchError) as caught:
        apply_strategic_merge_patch({"data": {"a": {}}}, {"data": {"a": {}}}, struct_of(ControllerRevision))
    assert caught.value.message == 'unable to find api field in struct RawExtension for the json field "a"'
