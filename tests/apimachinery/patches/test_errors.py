from typing import Any

import pytest

from memkube.apimachinery.patches import with_sorted_maps
from memkube.apimachinery.patches.errors import go_string, go_syntax, go_text, go_type
from memkube.apimachinery.schema import struct_of
from tests.apimachinery.widgets import Widget


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": [1, "x"], "a": None}, "map[a:<nil> b:[1 x]]"),
        (True, "true"),
        (1.5, "1.5"),
        (100000.0, "100000"),
        (1000000.0, "1e+06"),
        (0.00001234, "1.234e-05"),
        (-1234567.5, "-1.2345675e+06"),
        (2**63, "9.223372036854776e+18"),
        (2**63 - 1, "9223372036854775807"),
    ],
)
def test_values_are_printed_as_go_prints_them(value: Any, text: str) -> None:
    assert go_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [("x", "x"), (1, "%!s(int64=1)"), (None, "%!s(<nil>)"), ({"a": False}, "map[a:%!s(bool=false)]")],
)
def test_what_is_no_string_is_marked(value: Any, text: str) -> None:
    assert go_string(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", '"x"'),
        (1, "1"),
        ({"a": [None]}, 'map[string]interface {}{"a":[]interface {}{interface {}(nil)}}'),
    ],
)
def test_values_in_go_syntax(value: Any, text: str) -> None:
    assert go_syntax(value) == text


def test_types_of_decoded_json() -> None:
    values: list[Any] = [{}, [], "", 1, 1.0, True, None]
    names = ["map[string]interface {}", "[]interface {}", "string", "int64", "float64", "bool", "<nil>"]
    assert list(map(go_type, values)) == names


def test_keys_of_maps_are_sorted_and_fields_of_structs_are_not() -> None:
    document = {"spec": {"tags": ["b", "a"], "limits": {"memory": "2", "cpu": "1"}}}
    written = with_sorted_maps(struct_of(Widget), document)
    assert list(written["spec"]) == ["tags", "limits"]
    assert list(written["spec"]["limits"]) == ["cpu", "memory"]
    assert written == document
