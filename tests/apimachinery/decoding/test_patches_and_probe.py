from typing import Any

import pytest

from memkube.apimachinery.decoding import (
    DecodeError,
    body_summary,
    convert_document,
    decode_document,
    duplicate_fields,
    probe_type,
)
from memkube.apimachinery.schema import struct_of
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.policy.v1.poddisruptionbudgets.types import PodDisruptionBudget

_STRUCT = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], f"json: cannot unmarshal array into Go value of type {_STRUCT}"),
        (12, f"json: cannot unmarshal number into Go value of type {_STRUCT}"),
        ({"kind": 1}, "json: cannot unmarshal number into Go struct field .kind of type string"),
        ({"apiVersion": {}}, "json: cannot unmarshal object into Go struct field .apiVersion of type string"),
    ],
)
def test_a_body_without_a_type_is_refused(data: Any, message: str) -> None:
    with pytest.raises(DecodeError) as refusal:
        probe_type(data)
    assert refusal.value.message == f"couldn't get version/kind; json parse error: {message}"


def test_an_api_version_of_three_parts_is_refused() -> None:
    with pytest.raises(DecodeError, match=r"^unexpected GroupVersion string: a/b/c$"):
        probe_type({"apiVersion": "a/b/c"})


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"apiVersion": "v1", "kind": "Pod"}, ("v1", "Pod")),
        ({"APIVERSION": "v1", "Kind": "Pod"}, ("v1", "Pod")),
        ({"kind": None}, ("", "")),
        (None, ("", "")),
    ],
)
def test_the_type_is_found_without_regard_to_case(data: Any, found: tuple[str, str]) -> None:
    assert probe_type(data) == found


@pytest.mark.parametrize(
    ("body", "summary"),
    [
        (b"", "<empty>"),
        (b"[]", "5b5d"),
        (b'{"kind": 1}', '{"kind": 1}'),
        (b'{"apiVersion": "v1", "kind": "Pod"}', '{"apiVersion": "v1", "kind": " ...'),
    ],
)
def test_bodies_are_quoted_in_short(body: bytes, summary: str) -> None:
    assert body_summary(body) == summary


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"metadata": {"labels": ["a"]}}, "cannot restore map from slice"),
        ({"metadata": {"labels": {"app": 7}}}, "cannot convert int64 to string"),
        ({"metadata": {"labels": {"app": True}}}, "unrecognized type: string"),
        ({"metadata": [1]}, "cannot restore struct from: slice"),
        ({"spec": {"activeDeadlineSeconds": "60"}}, "unrecognized type: int64"),
        ({"spec": {"containers": {"name": "app"}}}, "cannot restore slice from map"),
        ({"spec": "x"}, "cannot restore struct from: string"),
    ],
)
def test_patched_data_of_a_wrong_type_is_refused_in_the_converters_words(data: dict[str, Any], message: str) -> None:
    with pytest.raises(DecodeError) as refusal:
        convert_document(struct_of(Pod), data)
    assert refusal.value.message == message


@pytest.mark.parametrize(
    ("number", "converted"), [(1000.0, 1000), (-0.0, 0), (2147483647.0, 2147483647), (5, 5), ("5%", "5%")]
)
def test_whole_numbers_of_patched_data_fit_an_integer_or_string(number: Any, converted: Any) -> None:
    document, _ = convert_document(struct_of(PodDisruptionBudget), {"spec": {"minAvailable": number}})
    assert document == {"spec": {"minAvailable": converted}}


@pytest.mark.parametrize(
    ("number", "written"),
    [(1.5, "1.5"), (3e9, "3000000000"), (2**63, "9223372036854776000"), (9007199254740993.0, "9007199254740992")],
)
def test_other_numbers_are_told_as_go_writes_them(number: float, written: str) -> None:
    with pytest.raises(DecodeError) as refusal:
        convert_document(struct_of(PodDisruptionBudget), {"spec": {"minAvailable": number}})
    assert refusal.value.message == f"json: cannot unmarshal number {written} into Go value of type int32"


@pytest.mark.parametrize(("number", "seconds"), [(2**63, -(2**63)), (1e21, -(2**63)), (-(2.0**64), -(2**63)), (3.0, 3)])
def test_integers_that_are_too_large_become_the_smallest_integer(number: float, seconds: int) -> None:
    document, _ = convert_document(struct_of(Pod), {"spec": {"terminationGracePeriodSeconds": number}})
    assert document == {"spec": {"terminationGracePeriodSeconds": seconds}}


def test_unknown_fields_of_patched_data_are_sorted() -> None:
    data = {"spec": {"hue": 3}, "colour": "red", "metadata": {"tint": "x"}}
    assert convert_document(struct_of(Pod), data) == (
        {"metadata": {}, "spec": {}},
        ['unknown field "colour"', 'unknown field "metadata.tint"', 'unknown field "spec.hue"'],
    )


def test_a_document_keeps_what_its_type_knows() -> None:
    document, errors = decode_document(struct_of(Pod), {"spec": {"priority": 1, "x": 2}, "metadata": None})
    assert (document, errors) == ({"spec": {"priority": 1}}, ['unknown field "spec.x"'])


def test_duplicates_of_a_merge_patch_are_found_without_a_type() -> None:
    body = b'{"metadata":{"labels":{"app":"a","app":"b"},"labels":{"zone":"a"}}}'
    assert duplicate_fields(body) == ['duplicate field "metadata.labels.app"', 'duplicate field "metadata.labels"']


def test_a_body_without_duplicates_has_none() -> None:
    assert duplicate_fields(b'{"a":{"b":"x\\":y"}}', struct_of(Pod)) == []
