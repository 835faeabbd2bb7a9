"""Functions of strings, with the results of cel-go."""

import pytest

from memkube.cel.values import Value
from tests.cel.functions.evaluating import error_of, value_of


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'añ😀'.charAt(2)", "😀"),
        ("'a'.charAt(1)", ""),
        ("'tacocat'.indexOf('ac', 3)", -1),
        ("'añ😀'.indexOf('😀')", 2),
        ("'abc'.indexOf('', 10)", 10),
        ("'abc'.indexOf('c', 3)", -1),
        ("'tacocat'.lastIndexOf('c')", 4),
        ("'abc'.lastIndexOf('c', 3)", -1),
        ("'abcabc'.lastIndexOf('abc', 2)", 0),
        ("'abc'.lastIndexOf('')", 3),
        ("''.lastIndexOf('a')", -1),
        ("'AÉb'.lowerAscii() + 'aéB'.upperAscii()", "aÉbAéB"),
        ("'abc'.replace('', '-')", "-a-b-c-"),
        ("'abc'.replace('', '-', 2)", "-a-bc"),
        ("'aaa'.replace('a', 'b', -1) + 'aaa'.replace('a', 'b', 0)", "bbbaaa"),
        ("'a,b'.split(',', 0)", []),
        ("'a,b,c'.split(',', 2)", ["a", "b,c"]),
        ("''.split(',')", [""]),
        ("''.split('')", []),
        ("'abc'.split('', 2)", ["a", "bc"]),
        ("'tacocat'.substring(4) + 'tacocat'.substring(0, 4)", "cattaco"),
        ("'\\u00a0\\u2003 a\\x1f\\t'.trim()", "a\x1f"),
        ("strings.quote('a\"b\\\\\\n\\u0001é')", '"a\\"b\\\\\\n\x01é"'),
        ("['a', 'b'].join() + ['a', 'b'].join('-')", "aba-b"),
        ("jsonpatch.escapeKey('a/b~c')", "a~1b~0c"),
    ],
)
def test_a_string_comes_to(expression: str, value: Value) -> None:
    assert value_of(expression) == value


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("'a'.charAt(3)", "index out of range: 3"),
        ("'a'.indexOf('a', -1)", "index out of range: -1"),
        ("'a'.lastIndexOf('a', -1)", "index out of range: -1"),
        ("'abc'.substring(4)", "index out of range: 4"),
        ("'abc'.substring(2, 1)", "invalid substring range. start: 2, end: 1"),
        ("'abc'.substring(-1, 1)", "index out of range: -1"),
        ("'abc'.substring(1, 4)", "index out of range: 4"),
        ("[dyn('a'), dyn(1.5)].join(',')", "join: invalid input: 1.5"),
        ("[dyn('a'), dyn(quantity('1000').add(1000))].join()", "join: invalid input: 2k"),
        ("[dyn('a'), dyn(semver('1.2.3-a.1+b.01'))].join()", "join: invalid input: 1.2.3-a.1+b.01"),
        ("dyn(1).charAt(0)", "no such overload: charAt(int, int)"),
    ],
)
def test_a_string_has_no_value(expression: str, error: str) -> None:
    assert error_of(expression) == error
