import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memkube.apimachinery import field_facts
from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.model import Document
from memkube.apimachinery.protobuf import Messages, open_envelope
from memkube.apimachinery.schema import StructSchema
from tests.apimachinery.protobuf.encoder import Encoder, block, enveloped, number, varint
from tests.apimachinery.protobuf.gadgets import GADGET, MESSAGES, packages

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Hypothesis settings without time limits, because the time to generate examples does not matter."""


JSON_OF_THEIR_OWN = {"Duration", "JSON"}


def table_paths() -> list[str]:
    """Return the import paths of the Go packages that have a table of field facts."""
    tables = Path(field_facts.__file__).parent.glob("*.v*.json")
    return [json.loads(table.read_bytes())["package"] for table in tables]


def decoded(data: bytes) -> Document:
    return MESSAGES.decode(GADGET, data)


@pytest.mark.parametrize(
    ("data", "document"),
    [
        (b"", {}),
        (block(2, "größe".encode()), {"text": "größe"}),
        (block(2, b""), {"text": ""}),
        (block(2, b"a\xff\xfeb"), {"text": "a\ufffd\ufffdb"}),
        (number(3, -5), {"small": -5}),
        (number(3, 2**32 + 7), {"small": 7}),
        (number(4, -(2**63)), {"large": -(2**63)}),
        (number(5, 0), {"flag": False}),
        (number(5, 2), {"flag": True}),
        (varint(6 << 3 | 1) + bytes.fromhex("000000000000f83f"), {"ratio": 1.5}),
        (block(7, b"\xff\x00binary"), {"data": "/wBiaW5hcnk="}),
        (block(8, block(1, b"100m")), {"amount": "100m"}),
        (block(8, b""), {"amount": "0"}),
        (block(9, number(1, 1_767_323_045) + number(2, 999)), {"since": "2026-01-02T03:04:05Z"}),
        (block(9, number(1, -1)), {"since": "1969-12-31T23:59:59Z"}),
        (block(9, b""), {"since": None}),
        (block(10, number(1, 1_767_323_045) + number(2, 6_999)), {"at": "2026-01-02T03:04:05.000006Z"}),
        (block(11, number(1, 0) + number(2, 8080) + block(3, b"")), {"port": 8080}),
        (block(11, number(1, 1) + number(2, 0) + block(3, b"50%")), {"port": "50%"}),
        (block(12, block(1, b'{"f:spec":{}}')), {"anything": {"f:spec": {}}}),
        (block(12, b""), {"anything": None}),
        (block(13, b"a") + block(13, b"b"), {"tags": ["a", "b"]}),
        (number(14, 1) + number(14, -1), {"codes": [1, -1]}),
        (block(14, varint(1) + varint(300) + varint(-1)), {"codes": [1, 300, -1]}),
        (block(15, block(1, b"app") + block(2, b"web")), {"labels": {"app": "web"}}),
        (block(15, block(2, b"web") + block(1, b"app")), {"labels": {"app": "web"}}),
        (block(15, block(1, b"app")), {"labels": {"app": ""}}),
        (block(15, number(9, 1)), {"labels": {"": ""}}),
        (varint(15 << 3 | 2) + b"\x04" + b"\x0a\x03ab" + block(2, b""), {"labels": {"ab\x12": ""}, "text": ""}),
        (block(15, varint(1 << 3 | 4) + b"\x01a"), {"labels": {"a": ""}}),
        (block(16, block(1, b"cpu") + block(2, block(1, b"2"))), {"amounts": {"cpu": "2"}}),
        (block(16, block(1, b"cpu")), {"amounts": {"cpu": "0"}}),
        (block(17, block(1, b"a") + block(2, block(1, b"x") + block(1, b"y"))), {"groups": {"a": ["x", "y"]}}),
        (block(18, b""), {"part": {}}),
        (block(19, block(1, b"a") + block(2, block(1, b"n"))), {"named": {"a": {"name": "n"}}}),
        (block(1, block(1, b"n") + block(8, b"")), {"metadata": {"name": "n", "creationTimestamp": None}}),
    ],
)
def test_a_field_is_read_by_its_type(data: bytes, document: Document) -> None:
    assert decoded(data) == document


def test_an_embedded_struct_is_a_message_whose_fields_stand_beside_the_others() -> None:
    part = block(1, b"wheel") + block(2, block(1, b"http://a") + number(2, 4))
    assert decoded(block(18, part)) == {"part": {"name": "wheel", "url": "http://a", "size": 4}}


def test_fields_of_unknown_numbers_are_skipped() -> None:
    unknown = number(99, 1) + block(98, b"x") + varint(97 << 3 | 3) + number(1, 1) + varint(97 << 3 | 4)
    assert decoded(unknown + number(3, 1)) == {"small": 1}


def test_of_several_scalars_the_last_counts_and_messages_are_merged() -> None:
    parts = block(18, block(1, b"a") + block(2, number(2, 4))) + block(18, block(1, b"b"))
    assert decoded(number(3, 1) + number(3, 0) + parts) == {"small": 0, "part": {"name": "b", "size": 4}}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (number(2, 1), "proto: wrong wireType = 0 for field Text"),
        (block(3, b""), "proto: wrong wireType = 2 for field Small"),
        (number(15, 1), "proto: wrong wireType = 0 for field Labels"),
        (varint(14 << 3 | 1), "proto: wrong wireType = 1 for field Codes"),
        (block(18, number(2, 1)), "proto: wrong wireType = 0 for field Origin"),
        (block(18, block(2, number(1, 1))), "proto: wrong wireType = 0 for field URL"),
        (block(2, b"text")[:-1], "unexpected EOF"),
        (block(15, b"\x00\x00\x04"), "proto: unexpected end of group"),
        (block(15, b"\x01"), "unexpected EOF"),
        (block(11, number(1, 2)), "impossible IntOrString.Type"),
        (block(9, number(1, 2**62)), "year is outside of range [1,9999]"),
    ],
)
def test_what_is_malformed_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(DecodeError) as refused:
        decoded(data)
    assert refused.value.message == message


def test_messages_may_not_nest_without_end() -> None:
    part = b""
    for _ in range(150):
        part = block(3, part)
    with pytest.raises(DecodeError, match="nested too deeply"):
        decoded(block(18, part))


def test_a_type_that_appeared_at_run_time_has_no_messages() -> None:
    with pytest.raises(DecodeError, match="does not implement the protobuf marshalling interface"):
        MESSAGES.decode(StructSchema("Widget", dict), b"")


def test_a_schema_without_a_model_is_enough() -> None:
    gadget = StructSchema("Gadget", dict, package=GADGET.package)
    assert MESSAGES.decode(gadget, block(18, block(1, b"wheel"))) == {"part": {"name": "wheel"}}


@pytest.mark.parametrize("path", sorted(table_paths()))
def test_there_are_messages_for_all_kinds_of_the_reference(path: str) -> None:
    for struct in go_package(path).structs - JSON_OF_THEIR_OWN:
        assert Messages(go_package).decode(StructSchema(struct, dict, package=path), b"") == {}


def test_a_type_that_its_package_does_not_declare_is_a_mistake_of_the_program() -> None:
    with pytest.raises(LookupError, match=r"the table of Go package example.com/gadgets/v1 has no struct Widget"):
        MESSAGES.decode(StructSchema("Widget", dict, package=GADGET.package), b"")


@given(st.binary(max_size=200))
@unhurried
def test_arbitrary_bytes_are_decoded_or_refused(data: bytes) -> None:
    for read in (decoded, open_envelope):
        with suppress(DecodeError):
            read(data)


_CONTENT = st.binary(max_size=12)
_ALMOST_FIELDS = st.lists(
    st.builds(number, st.integers(1, 20), st.integers(-(2**63), 2**64))
    | st.builds(block, st.integers(1, 20), _CONTENT | st.builds(block, st.integers(1, 4), _CONTENT)),
    max_size=6,
)


@given(_ALMOST_FIELDS.map(b"".join))
@unhurried
def test_almost_a_message_is_decoded_or_refused(data: bytes) -> None:
    with suppress(DecodeError):
        decoded(data)


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
_PARTS = st.recursive(
    st.fixed_dictionaries({"name": _TEXT}, optional={"url": _TEXT, "size": st.integers(-(2**31), 2**31 - 1)}),
    lambda parts: st.fixed_dictionaries({"parts": st.lists(parts, min_size=1, max_size=2)}),
    max_leaves=4,
)


@unhurried
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "large": st.integers(-(2**63), 2**63 - 1),
            "port": st.integers(-(2**31), 2**31 - 1) | _TEXT,
            "labels": st.dictionaries(_TEXT, _TEXT, min_size=1, max_size=3),
            "groups": st.dictionaries(_TEXT, st.lists(_TEXT, max_size=2), min_size=1, max_size=3),
            "part": _PARTS,
            "named": st.dictionaries(_TEXT, _PARTS, min_size=1, max_size=2),
        },
    )
)
def test_what_a_client_encodes_is_what_is_decoded(document: dict[str, Any]) -> None:
    body = enveloped("v1", "Gadget", Encoder(packages).message(GADGET, document))
    assert decoded(open_envelope(body).message) == document
