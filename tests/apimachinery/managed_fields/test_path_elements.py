import pytest

from memkube.apimachinery.managed_fields.field_set import (
    InvalidPathElementError,
    key_element,
    parsed,
    shown_path,
    value_element,
)


def test_keys_and_values_are_written_as_json() -> None:
    assert key_element((("port", 80), ("protocol", "TCP"))) == 'k:{"port":80,"protocol":"TCP"}'
    assert value_element("a<b") == 'v:"a\\u003cb"'


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ("f:a:b", "f:a:b"),
        ('k:{"b": 1, "a": 2}', 'k:{"a":2,"b":1}'),
        ('v: "x"', 'v:"x"'),
        ("i:007", "i:7"),
        ("z:new", None),
    ],
)
def test_steps_of_clients_are_brought_into_one_form(element: str, expected: str | None) -> None:
    assert parsed(element) == expected


@pytest.mark.parametrize("element", ["metadata", "f", "", "k:[1]", "k:{", "v:x", "i:x"])
def test_malformed_steps_are_refused(element: str) -> None:
    with pytest.raises(InvalidPathElementError):
        parsed(element)


def test_paths_are_shown_as_in_messages() -> None:
    path = ("f:spec", 'k:{"port":80,"protocol":"TCP"}', "f:a.b/c", 'v:"x"', "i:0")
    assert shown_path(path) == '.spec[port=80,protocol="TCP"].a.b/c[="x"][0]'
