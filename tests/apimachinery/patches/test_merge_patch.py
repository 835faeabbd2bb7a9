from typing import Any

import pytest

from memkube.apimachinery.patches import PatchError, apply_merge_patch

DOCUMENT = {"b": {"x": 1, "a": 2}, "list": [{"n": 1}]}


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({}, {"b": {"x": 1, "a": 2}, "list": [{"n": 1}]}),
        ({"b": {"x": None}}, {"b": {"a": 2}, "list": [{"n": 1}]}),
        ({"b": None, "none": None}, {"list": [{"n": 1}]}),
        ({"list": [1, None]}, {"b": {"x": 1, "a": 2}, "list": [1, None]}),
        ({"c": {"d": None, "e": 1}}, {"b": {"x": 1, "a": 2}, "c": {"e": 1}, "list": [{"n": 1}]}),
        ({"b": "text"}, {"b": "text", "list": [{"n": 1}]}),
        ({"list": [{"n": None, "m": 2}]}, {"b": {"x": 1, "a": 2}, "list": [{"m": 2}]}),
    ],
)
def test_a_patch_merges_into_the_document(patch: Any, expected: Any) -> None:
    assert apply_merge_patch(DOCUMENT, patch) == expected


def test_touched_levels_are_sorted_and_others_keep_their_order() -> None:
    result = apply_merge_patch({"z": {"b": 1, "a": 2}, "y": {"d": 1, "c": 2}}, {"y": {"e": 1}})
    assert [list(result), list(result["z"]), list(result["y"])] == [["y", "z"], ["b", "a"], ["c", "d", "e"]]


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        (None, "Invalid JSON Patch"),
        ([], "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"),
        ("x", "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}"),
    ],
)
def test_what_is_no_object_is_a_bad_request(patch: Any, text: str) -> None:
    with pytest.raises(PatchError) as caught:
        apply_merge_patch(DOCUMENT, patch)
    assert (caught.value.code, caught.value.reason, caught.value.message) == (400, "BadRequest", text)
