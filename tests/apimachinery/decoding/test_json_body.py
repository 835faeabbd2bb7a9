import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkube.apimachinery.decoding import DecodeError, parse_json
from memkube.apimachinery.decoding.json_body import syntax_error
from tests.apimachinery.decoding.outcome import outcome


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "unexpected end of JSON input"),
        (b'{"metadata":', "unexpected end of JSON input"),
        (b'{"a":1,}', "invalid character '}' looking for beginning of object key string"),
        (b"{'kind': 'Pod'}", "invalid character '\\'' looking for beginning of object key string"),
        (b"{}x", "invalid character 'x' after top-level value"),
        (b"\xef\xbb\xbf{}", "invalid character 'ï' looking for beginning of value"),
        (b'{"a":NaN}', "invalid character 'N' looking for beginning of value"),
        (b'{"a":01}', "invalid character '1' after object key:value pair"),
        (b'{"a":.5}', "invalid character '.' looking for beginning of value"),
        (b'{"a":"\\\'"}', "invalid character '\\'' in string escape code"),
        (b'{"a":"\t"}', "invalid character '\\t' in string literal"),
        (b'{"a":"\\u12"}', "invalid character '\"' in \\u hexadecimal character escape"),
        (b"-", "invalid character ' ' in numeric literal"),
        (b"1.", "invalid character ' ' after decimal point in numeric literal"),
        (b"1ex", "invalid character 'x' in exponent of numeric literal"),
        (b"trap", "invalid character 'a' in literal true (expecting 'u')"),
        (b"[1 2]", "invalid character '2' after array element"),
        (b'{"a" 1}', "invalid character '1' after object key"),
        (b"[" * 20_000, "invalid character '[' exceeded max depth"),
    ],
)
def test_malformed_json_is_refused_in_gos_words(body: bytes, message: str) -> None:
    with pytest.raises(DecodeError) as refusal:
        parse_json(body)
    assert refusal.value.message == message


@pytest.mark.parametrize(
    ("body", "data"),
    [
        (b'"x\\ud800y"', "x\ufffdy"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\xff\xfe"', "\ufffd\ufffd"),
        (b' {"a": [1, 1.5, null]} \n', {"a": [1, 1.5, None]}),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b"123456789012345678901234567890", 123456789012345678901234567890.0),
    ],
)
def test_what_go_accepts_is_accepted(body: bytes, data: object) -> None:
    assert parse_json(body) == data


@pytest.mark.parametrize("depth", [300, 2_000, 9_000])
def test_nesting_that_could_not_be_written_again_is_refused(depth: int) -> None:
    with pytest.raises(DecodeError, match="exceeded max depth"):
        parse_json(b"[" * depth + b"]" * depth)


@settings(deadline=None)
@given(st.binary(max_size=40))
def test_any_bytes_are_data_or_a_decode_error(body: bytes) -> None:
    outcome(parse_json, body)


@settings(deadline=None)
@given(st.text(alphabet='{}[]",:\\u0019eE+-.tfnrul \n', max_size=12))
def test_the_scanner_agrees_with_the_standard_library(text: str) -> None:
    try:
        json.loads(text)
        valid = True
    except ValueError:
        valid = False
    assert (syntax_error(text.encode()) is None) == valid
