import re
from typing import Any

import pytest

from memkube.apimachinery.patches import NotApplied, PatchError, apply_json_patch, apply_operations, strict_errors

DOCUMENT = {"metadata": {"labels": {"app": "web"}}, "spec": {"count": 30, "items": ["a", "b"]}}


def patched(*operations: dict[str, Any]) -> Any:
    return apply_json_patch(DOCUMENT, list(operations))


@pytest.mark.parametrize(
    ("operation", "path", "expected"),
    [
        ({"op": "add", "path": "/metadata/labels/a~1b", "value": "x"}, "labels", {"a/b": "x", "app": "web"}),
        ({"op": "replace", "path": "/metadata/labels/zone", "value": "a"}, "labels", {"app": "web", "zone": "a"}),
        (
            {"op": "copy", "from": "/metadata/none", "path": "/metadata/labels/tier"},
            "labels",
            {"app": "web", "tier": None},
        ),
        ({"op": "move", "from": "/metadata/labels/app", "path": "/metadata/labels/x"}, "labels", {"x": "web"}),
        ({"op": "add", "path": "/spec/items/-", "value": "c"}, "items", ["a", "b", "c"]),
        ({"op": "add", "path": "/spec/items/2", "value": "c"}, "items", ["a", "b", "c"]),
        ({"op": "add", "path": "/spec/items/0", "value": "c"}, "items", ["c", "a", "b"]),
        ({"op": "remove", "path": "/spec/items/-1"}, "items", ["a"]),
    ],
)
def test_an_operation_changes_the_value_at_its_path(operation: dict[str, Any], path: str, expected: Any) -> None:
    result = patched(operation)
    assert {**result["metadata"], **result["spec"]}[path] == expected


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "remove", "path": "/metadata/labels/zone"},
        {"op": "move", "from": "/metadata/none", "path": "/metadata/labels/x"},
        {"op": "add", "path": "/metadata/annotations/note", "value": "x"},
        {"op": "add", "path": "/spec/items/9", "value": "x"},
        {"op": "replace", "path": "/spec/items/-", "value": "x"},
        {"op": "replace", "path": "/spec/items/word", "value": "x"},
        {"op": "test", "path": "/spec/count", "value": 30.0},
        {"op": "test", "path": "/spec/count", "value": "30"},
        {"op": "test", "path": "/metadata/labels/app", "value": None},
        {"op": "add", "path": "", "value": {}},
        {"op": "swap", "path": "/spec"},
        {"op": "add"},
        {},
    ],
)
def test_whatever_fails_is_refused_with_one_text(operation: dict[str, Any]) -> None:
    with pytest.raises(PatchError) as caught:
        patched(operation)
    assert (caught.value.code, caught.value.reason) == (422, "Invalid")
    assert caught.value.message == "the server rejected our request due to an error in our request"


def test_a_missing_key_tests_as_null() -> None:
    assert patched({"op": "test", "path": "/metadata/labels/zone", "value": None}) == DOCUMENT


def test_operations_see_the_effect_of_earlier_ones() -> None:
    first = {"op": "add", "path": "/metadata/annotations", "value": {}}
    result = patched(first, {"op": "add", "path": "/metadata/annotations/a", "value": "b"})
    assert result["metadata"]["annotations"] == {"a": "b"}


def test_the_document_is_not_changed() -> None:
    patched({"op": "add", "path": "/spec/items/-", "value": "c"}, {"op": "remove", "path": "/metadata/labels/app"})
    assert DOCUMENT == {"metadata": {"labels": {"app": "web"}}, "spec": {"count": 30, "items": ["a", "b"]}}


def test_a_copied_value_is_a_value_of_its_own() -> None:
    copy = {"op": "copy", "from": "/metadata/labels", "path": "/metadata/others"}
    result = patched(copy, {"op": "add", "path": "/metadata/others/b", "value": "c"})
    assert result["metadata"]["labels"] == {"app": "web"}


def test_keys_of_the_levels_passed_are_sorted() -> None:
    result = apply_json_patch(
        {"z": {"y": 1, "x": 2}, "a": {"c": 1, "b": 2}}, [{"op": "add", "path": "/z/w", "value": 3}]
    )
    assert [list(result), list(result["z"]), list(result["a"])] == [["a", "z"], ["w", "x", "y"], ["c", "b"]]


def test_ten_thousand_operations_are_the_most() -> None:
    with pytest.raises(PatchError, match="in a JSON patch is 10000, got 10001") as caught:
        patched(*[{"op": "test", "path": "/none", "value": None}] * 10_001)
    assert caught.value.code == 413


@pytest.mark.parametrize(
    ("operations", "text"),
    [
        ({}, "json: cannot unmarshal object into Go value of type jsonpatch.Patch"),
        ([1], "json: cannot unmarshal number into Go value of type jsonpatch.Operation"),
    ],
)
def test_what_is_no_list_of_objects_is_a_bad_request(operations: Any, text: str) -> None:
    with pytest.raises(PatchError) as caught:
        apply_json_patch(DOCUMENT, operations)
    assert (caught.value.code, caught.value.message) == (400, text)


def test_strict_decoding_names_unknown_fields() -> None:
    assert strict_errors([{"op": "add", "path": "/a", "colour": 1}]) == ['json patch unknown field "[0].colour"']


@pytest.mark.parametrize(
    ("operations", "text"),
    [
        ({}, "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"),
        (
            [{"op": 1}],
            "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
        ),
    ],
)
def test_strict_decoding_refuses_wrong_types(operations: Any, text: str) -> None:
    with pytest.raises(PatchError) as caught:
        strict_errors(operations)
    assert caught.value.message == text


_LIST = {"op": "add", "path": "/l", "value": [1]}


@pytest.mark.parametrize(
    ("operations", "why"),
    [
        ([{"op": "add", "path": "/a/b", "value": 1}], 'add operation does not apply: doc is missing path: "/a/b"'),
        ([{"op": "replace", "path": "/a/b"}], "replace operation does not apply: doc is missing path: /a/b"),
        (
            [{"op": "move", "from": "/a/b", "path": "/c"}],
            "move operation does not apply: doc is missing from path: /a/b",
        ),
        ([{"op": "test", "path": "/a/b"}], "test operation does not apply: is missing path: /a/b"),
        (
            [{"op": "copy", "from": "/k", "path": "/a/b"}],
            "copy operation does not apply: doc is missing destination path: /a/b",
        ),
        ([{"op": "remove", "path": "/a"}], "error in remove for path: '/a': Unable to remove nonexistent key: a"),
        ([{"op": "add"}], "add operation failed to decode path"),
        ([{"op": "replace"}], "replace operation failed to decode path: operation missing path field"),
        ([{"op": "move", "path": "/a"}], "move operation failed to decode from: operation, missing from field"),
        ([_LIST, {"op": "replace", "path": "/l/1"}], "replace operation does not apply: doc is missing key: /l/1"),
    ],
)
def test_an_operation_tells_what_it_does_not_find(operations: list[Any], why: str) -> None:
    with pytest.raises(NotApplied, match=f"^{re.escape(why)}: missing value$"):
        apply_operations({"k": "v"}, operations)


@pytest.mark.parametrize(
    ("operations", "why"),
    [
        ([{"path": "/a"}], "Unexpected kind: unknown"),
        ([{"op": "merge", "path": "/a"}], "Unexpected kind: merge"),
        ([{"op": "test", "path": "/k", "value": "w"}], "testing value /k failed: test failed"),
        (
            [_LIST, {"op": "add", "path": "/l/5", "value": 1}],
            "error in add for path: '/l/5': Unable to access invalid index: 5: invalid index referenced",
        ),
        (
            [_LIST, {"op": "add", "path": "/l/x", "value": 1}],
            (
                "error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": "
                "invalid syntax"
            ),
        ),
        (
            [_LIST, {"op": "test", "path": "/l/x"}],
            "error in test for path: '/l/x': strconv.Atoi: parsing \"x\": invalid syntax",
        ),
    ],
)
def test_an_operation_tells_what_is_wrong_with_it(operations: list[Any], why: str) -> None:
    with pytest.raises(NotApplied, match=f"^{re.escape(why)}$"):
        apply_operations({"k": "v"}, operations)
