"""Functions of regular expressions, URLs and named formats, with the results of Kubernetes."""

import pytest

from memkube.cel.errors import InstantiationError
from memkube.cel.values import NONE, Value
from tests.cel.functions.evaluating import error_of, program, value_of


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'abc'.find('b*')", ""),
        ("'abc 123'.find('[0-9]+')", "123"),
        ("'abc'.findAll('b*')", ["", "b", ""]),
        ("'ab ab'.findAll('(a)(b)')", ["ab", "ab"]),
        ("'aaa'.findAll('a', 2)", ["a", "a"]),
        ("'aaa'.findAll('a', 0)", []),
        ("'aaa'.findAll('a', -7).size()", 3),
        ("'λé'.findAll('.')", ["λ", "é"]),
    ],
)
def test_patterns_are_found(expression: str, value: Value) -> None:
    assert value_of(expression) == value


def test_a_pattern_that_is_none_is_told() -> None:
    assert error_of("'a'.find(x)", {"x": "("}) == "Illegal regex: error parsing regexp: missing closing ): `(`"
    with pytest.raises(InstantiationError, match="error parsing regexp: missing closing"):
        program("'a'.findAll('(')")


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("HTTP://u:p@Example.com:80/a%20b;c?x=1&y#f", ["http", "Example.com:80", "Example.com", "80", "/a%20b;c"]),
        ("https://[::1]:8080/a b", ["https", "[::1]:8080", "::1", "8080", "/a%20b"]),
        ("https://[fe80::1%25en0]", ["https", "[fe80::1%en0]", "fe80::1%en0", "", ""]),
        ("/a%2fb/%41", ["", "", "", "", "/a%2fb/%41"]),
        ('http://a%C3%A9:/"', ["http", "aé:", "aé", "", "/%22"]),
        ("mailto:a@b", ["mailto", "", "", "", ""]),
        ("a://b:c:1", ["a", "b:c:1", "b:c", "1", ""]),
    ],
)
def test_urls_are_taken_apart(url: str, parts: list[str]) -> None:
    names = ("getScheme", "getHost", "getHostname", "getPort", "getEscapedPath")
    assert [value_of(f"url(x).{name}()", {"x": url}) for name in names] == parts


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", 'parse "": empty url'),
        ("a", 'parse "a": invalid URI for request'),
        (":a", 'parse ":a": missing protocol scheme'),
        ("/\x01", 'parse "/\\x01": net/url: invalid control character in URL'),
        ("/%zz", 'parse "/%zz": invalid URL escape "%zz"'),
        ("http://a b", 'parse "http://a b": invalid character " " in host name'),
        ("http://%41", 'parse "http://%41": invalid URL escape "%41"'),
        ("http://a:b", 'parse "http://a:b": invalid port ":b" after host'),
        ("http://a:1:2", 'parse "http://a:1:2": invalid port ":1:2" after host'),
        ("http://[::1", "parse \"http://[::1\": missing ']' in host"),
        ("http://a[::1]", 'parse "http://a[::1]": invalid IP-literal'),
        ("http://[1.2.3.4]", 'parse "http://[1.2.3.4]": invalid IP-literal'),
        ("http://[x]", 'parse "http://[x]": invalid host: ParseAddr("x"): unable to parse IP'),
        ("http://ü@a", 'parse "http://ü@a": net/url: invalid userinfo'),
    ],
)
def test_what_is_no_url_is_told(url: str, why: str) -> None:
    assert error_of("url(x)", {"x": url}) == f"URL parse error during conversion from string: {why}"
    assert value_of("isURL(x)", {"x": url}) is False
    assert value_of("format.uri().validate(x).value()", {"x": url}) == [why]


def test_a_query_has_values_by_name() -> None:
    query = value_of("url('/?x=1&y=a+b%20c&x=2&z&;=1&%zz').getQuery()")
    assert query == {"x": ["1", "2"], "y": ["a b c"], "z": [""]}


def test_urls_are_equal_as_they_are_written() -> None:
    assert value_of("url('HTTP://a/b') == url('http://a/b') && url('http://a/b') != url('http://a/%62')")


@pytest.mark.parametrize(
    ("name", "good", "bad", "faults"),
    [
        ("dns1123LabelPrefix", "a-", "A", None),
        ("labelValue", "", "a b", None),
        ("qualifiedName", "a.b/c", "a/b/c", None),
        ("dns1035Label", "a1", "1a", None),
        ("uuid", "123E4567e89b12d3a456426614174000", "123", ["does not match the UUID format"]),
        ("byte", "YWI=", "YWI", ["invalid base64"]),
        ("date", "0000-02-29", "2021-02-29", ["invalid date"]),
        ("datetime", "2020-01-01t00:00:00.5z", "2020-01-01T00:00:00", ["invalid datetime"]),
        ("datetime", "2020-01-01T00:00:00+25:00", "2020-01-01T24:00:00Z", ["invalid datetime"]),
    ],
)
def test_formats_tell_what_is_wrong(name: str, good: str, bad: str, faults: list[str] | None) -> None:
    assert value_of(f"format.{name}().validate(x)", {"x": good}) is NONE
    found = value_of(f"format.named('{name}').value().validate(x).value()", {"x": bad})
    assert found == faults if faults else found


def test_formats_are_told_apart_by_their_names() -> None:
    assert value_of("format.uri() == format.named('uri').value() && format.uri() != format.uuid()")
    assert value_of("format.named('other')") is NONE
