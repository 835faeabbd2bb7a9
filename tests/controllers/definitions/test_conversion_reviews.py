from typing import Any

import pytest

from memkube.controllers.definitions.conversion_reviews import ConversionFailed, read_object, with_original_metadata

_METADATA = {"name": "a", "namespace": "n", "uid": "u", "resourceVersion": "7", "labels": {"a": "b"}}
_OLD: dict[str, Any] = {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": _METADATA, "spec": {}}
_NEW: dict[str, Any] = {**_OLD, "apiVersion": "example.com/v2"}


def _new(**metadata: Any) -> dict[str, Any]:
    return {**_NEW, "metadata": {**_METADATA, **metadata}}


def test_labels_and_annotations_are_the_webhooks() -> None:
    taken = with_original_metadata(_OLD, _new(labels={"c": "d"}, annotations={"e": "f"}), "example.com/v2")
    assert taken["metadata"] == {**_METADATA, "labels": {"c": "d"}, "annotations": {"e": "f"}}


@pytest.mark.parametrize("labels", [None, {}])
def test_labels_can_be_taken_away(labels: Any) -> None:
    assert "labels" not in with_original_metadata(_OLD, _new(labels=labels), "example.com/v2")["metadata"]


def test_other_metadata_stays_as_it_was() -> None:
    taken = with_original_metadata(_OLD, _new(generation=9, finalizers=["x/y"], resourceVersion="8"), "example.com/v2")
    assert taken["metadata"] == _METADATA


def test_labels_that_did_not_change_are_not_looked_at() -> None:
    old = {**_OLD, "metadata": {**_METADATA, "labels": {"a": "not allowed"}}}
    assert with_original_metadata(old, _new(labels={"a": "not allowed"}), "example.com/v2")


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (_OLD, "invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)"),
        ({**_NEW, "kind": "X"}, "invalid object at index 0: invalid kind (expected Gadget, received X)"),
        (_new(name=1), "invalid object: must have the same name: a != "),
        (_new(namespace="m"), "invalid object: must have the same namespace: n != m"),
        (_new(uid=""), "invalid object: must have the same UID: u != "),
        (_new(labels=[]), "invalid metadata: invalid metadata.labels of type []interface {} in converted object"),
        (
            _new(labels={"a": 1}),
            "invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object",
        ),
        (
            _new(annotations={"a": "x" * 262_144}),
            "invalid metadata: metadata.annotation: Too long: may not be more than 262144 bytes",
        ),
    ],
)
def test_other_answers_are_not_taken(found: dict[str, Any], message: str) -> None:
    with pytest.raises(ConversionFailed) as refused:
        with_original_metadata(_OLD, found, "example.com/v2")
    assert refused.value.message == f"returned {message}"


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (None, "unexpected end of JSON input"),
        (1, "json: cannot unmarshal number into Go value of type map[string]interface {}"),
        ([], "json: cannot unmarshal array into Go value of type map[string]interface {}"),
        ({"kind": ""}, "Object 'Kind' is missing in '{\"kind\":\"\"}'"),
        ({"kind": "A", "apiVersion": "a/b/c"}, 'Object \'Kind\' is missing in \'{"kind":"A","apiVersion":"a/b/c"}\''),
    ],
)
def test_an_object_says_of_what_kind_it_is(found: Any, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        read_object(found)
    assert str(refused.value) == message
