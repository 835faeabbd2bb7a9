"""URLs as Go's net/url parses them. Absolute URLs are tested with CEL's function `url`."""

import pytest

from memkube.apimachinery.go_url import parse_request_uri, parse_url


@pytest.mark.parametrize(
    ("text", "parts", "written"),
    [
        ("", ("", "", "", ""), ""),
        ("a/b:c?d#e", ("", "a/b:c", "d", "e"), "a/b:c?d#e"),
        ("//h/p", ("h", "/p", "", ""), "//h/p"),
        ("///p", ("", "///p", "", ""), "///p"),
        ("*", ("", "*", "", ""), "*"),
        ("x:///y", ("", "/y", "", ""), "x:///y"),
        ("x:/y?", ("", "/y", "", ""), "x:/y?"),
        ("http://u%20:p;@H/a b#f g", ("H", "/a%20b", "", "f%20g"), "http://u%20:p;@H/a%20b#f%20g"),
        ("#a#b", ("", "", "", "a%23b"), "#a%23b"),
    ],
)
def test_a_reference_has_parts(text: str, parts: tuple[str, str, str, str], written: str) -> None:
    url = parse_url(text)
    assert (url.host, url.path, url.query, url.fragment) == parts
    assert str(url) == written


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1a:b", 'parse "1a:b": first path segment in URL cannot contain colon'),
        ("/a#%zz", 'parse "/a#%zz": invalid URL escape "%zz"'),
        ("/%z#%zz", 'parse "/%z": invalid URL escape "%z"'),
    ],
)
def test_a_fragment_is_looked_at_last(text: str, why: str) -> None:
    with pytest.raises(ValueError, match="parse") as refused:
        parse_url(text)
    assert str(refused.value) == why


def test_a_request_has_no_fragment() -> None:
    assert parse_request_uri("/a#b").path == "/a%23b"


def test_parameters_that_cannot_be_read_are_left_out() -> None:
    assert parse_url("/?a=1&b;c&%zz=1&a=+").parameters == {"a": ["1", " "]}
    assert parse_url(f"/?{'a&' * 10_000}").parameters == {}
