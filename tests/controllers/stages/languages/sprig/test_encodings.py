"""Sprig's functions for JSON, base64, base32 and checksums. The expected texts are those of Sprig 3.3."""

import pytest

from memkube.controllers.stages.languages.template_values import TemplateError
from tests.controllers.stages.languages.rendering import rendered


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("toJson .m", '{"a":1,"b":{"c":"x","d":""},"e":[]}'),
        ('toRawJson (dict "a" "<b>")', '{"a":"<b>"}'),
        ('toJson (dict "a" "<b>&")', '{"a":"\\u003cb\\u003e\\u0026"}'),
        ('toJson "é\\n"', '"é\\n"'),
        ("toJson .z", "null"),
        ("toPrettyJson .m", '{\n  "a": 1,\n  "b": {\n    "c": "x",\n    "d": ""\n  },\n  "e": []\n}'),
        ("toPrettyJson (list)", "[]"),
        ("toPrettyJson (dict)", "{}"),
        ("toJson 1.5", "1.5"),
        ("toJson 1e21", "1e+21"),
        ("toJson 0.000001", "0.000001"),
        ("toJson 0.0000001", "1e-7"),
        ("toJson 1e20", "100000000000000000000"),
        ("toJson 0.00001", "0.00001"),
        ('fromJson "{\\"a\\": [1, 2.5, null]}"', "map[a:[1 2.5 <nil>]]"),
        ('fromJson "x"', "<no value>"),
        ('mustFromJson "[1]"', "[1]"),
        ("mustToJson .l", '["b","a","b",null,3]'),
        ('b64enc "hello"', "aGVsbG8="),
        ('b64dec "aGVsbG8="', "hello"),
        ('b64dec "a!b"', "illegal base64 data at input byte 1"),
        ('b64dec "aGVsbG8"', "illegal base64 data at input byte 4"),
        ('b32enc "hi"', "NBUQ===="),
        ('b32dec "NBUQ===="', "hi"),
        ('b32dec "a"', "illegal base32 data at input byte 0"),
        ('b32dec "NB1Q===="', "illegal base32 data at input byte 2"),
        ('sha1sum "a"', "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"),
        ('adler32sum "a"', "6422626"),
        ('trunc 9 (sha256sum "a")', "ca978112c"),
        ('trunc 9 (sha512sum "a")', "1f40fc92d"),
    ],
)
def test_a_call_has_the_result_of_sprig(call: str, expected: str) -> None:
    assert rendered(f"{{{{ {call} }}}}") == expected


@pytest.mark.parametrize(
    "call",
    [
        'mustFromJson "x"',
        'toJson (float64 "inf") | fail',
    ],
)
def test_arguments_that_sprig_refuses_are_errors(call: str) -> None:
    with pytest.raises(TemplateError, match="error calling"):
        rendered(f"{{{{ {call} }}}}")
