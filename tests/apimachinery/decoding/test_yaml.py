from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.decoding.yaml_body import parse_yaml, read_yaml
from tests.apimachinery.decoding.outcome import outcome


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a: yes\nb: off\nc: ~\n", {"a": True, "b": False, "c": None}),
        ("a: 0644\nb: 0x1F\nc: 1_000\nd: 08\n", {"a": 420, "b": 31, "c": 1000, "d": 8}),
        ("a: 80.0\nb: 1.5\nc: 1e3\n", {"a": 80, "b": 1.5, "c": 1000}),
        ("a: 2026-01-02\nb: 2026-01-02T03:04:05Z\n", {"a": "2026-01-02", "b": "2026-01-02T03:04:05Z"}),
        ("a: '1'\nb: \"yes\"\nc: !!str 1\n", {"a": "1", "b": "yes", "c": "1"}),
        ("1: a\ntrue: b\n", {"1": "a", "true": "b"}),
        ("x: &a {k: 1}\nz: {<<: *a, m: 2}\n", {"x": {"k": 1}, "z": {"k": 1, "m": 2}}),
        ("a: 1\n---\nb: 2\n", {"a": 1}),
        ("a: |\n  one\n  two\n", {"a": "one\ntwo\n"}),
        ("", None),
        ("{a: 1", "yaml: line 1: did not find expected ',' or '}'"),
    ],
)
def test_yaml_is_read_as_the_reference_reads_it(text: str, data: Any) -> None:
    assert outcome(parse_yaml, text.encode()) == data


def test_keys_come_out_sorted() -> None:
    assert list(parse_yaml(b"b: 1\na: 1\nB: 1\n")) == ["B", "a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a : b: c\n", "yaml: mapping values are not allowed in this context"),
        (b"\t- x", "yaml: found character that cannot start any token"),
        (b"a: 1\nb: c: d\n", "yaml: line 2: mapping values are not allowed in this context"),
        (b"a: *b\n", "yaml: unknown anchor 'b' referenced"),
        (b"a: &b [*b]\n", "yaml: anchor 'b' value contains itself"),
        (b"{{ a }}: 1\n", 'yaml: invalid map key: map[interface {}]interface {}{"a":interface {}(nil)}'),
        (b"a: .nan\n", "json: unsupported value: NaN"),
        (b"a: \x00\n", "yaml: control characters are not allowed"),
        (b"a: \xff\n", "yaml: invalid leading UTF-8 octet"),
        (b"<<: 1\n", "yaml: map merge requires map or sequence of maps as the value"),
    ],
)
def test_malformed_yaml_is_refused_in_gos_words(text: bytes, message: str) -> None:
    with pytest.raises(DecodeError) as refusal:
        parse_yaml(text)
    assert refusal.value.message == message


def test_duplicate_keys_are_reported_with_the_line_of_their_value() -> None:
    read = read_yaml(b"a: 1\nb:\n  c: 1\n  c: 2\na: 3\n")
    assert read.data == {"a": 3, "b": {"c": 2}}
    assert read.duplicates == ['line 4: key "c" already set in map', 'line 5: key "a" already set in map']
    assert read.strict_errors[0].startswith('yaml: unmarshal errors:\n  line 4: key "c"')


def test_aliases_that_multiply_are_refused() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in zip("abcdefg", "bcdefgh", strict=True)]
    with pytest.raises(DecodeError, match="excessive aliasing"):
        parse_yaml("\n".join(lines).encode())


@pytest.mark.parametrize("body", [b"[" * 5_000, b"- " * 5_000 + b"x", b"{a: " * 1_000])
def test_deep_nesting_is_refused(body: bytes) -> None:
    with pytest.raises(DecodeError):
        parse_yaml(body)


@settings(deadline=None)
@given(st.binary(max_size=40) | st.text(alphabet="ab:-&*<{}[]!#|>'\"\n 10.", max_size=30).map(str.encode))
def test_any_bytes_are_data_or_a_decode_error(body: bytes) -> None:
    outcome(parse_yaml, body)
