"""Field selections and indexes: values, presence tests, and errors for absent fields."""

import pytest

from memkube.cel.values import NONE, Optional, Value
from tests.cel.evaluating import evaluated, failure_of


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("object.a.b", 1),
        ("object['a']['b']", 1),
        ("object.list[1]", 2),
        ("object.list[1.0]", 2),
        ("object.list[1u]", 2),
        ("object.items[0].k", "x"),
        ("(yes ? object.a : object.items[0]).b", 1),
        ("counts[words[0] == 'a' ? 'x' : 'y']", 1),
        ("{1: 'a'}[dyn(1.0)]", "a"),
        ("{1u: 'a'}[dyn(1)]", "a"),
        ("{true: 'a'}[true]", "a"),
        ("has(object.a.b)", True),
        ("has(object.a.none)", True),
        ("has(object.z)", False),
        ("has(object.a.b.c)", False),
    ],
)
def test_parts_are_found_by_name_and_by_index(expression: str, value: Value) -> None:
    assert evaluated(expression) == value


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("object.z", "no such key: z"),
        ("object.a.b.c", "no such key: c"),
        ("object[1]", "no such key: 1"),
        ("object[true]", "no such key: true"),
        ("counts['z']", "no such key: z"),
        ("object.list[3]", "index out of bounds: 3"),
        ("object.list[-1]", "index out of bounds: -1"),
        ("object.list['a']", "unsupported index type 'string' in list"),
        ("object.list[1.5]", "unsupported index value 1.5 in list"),
        ("object.list.k", "unsupported index type 'string' in list"),
        ("has(object.list.k)", "unsupported index type 'string' in list"),
        ("has(object.z.k)", "no such key: z"),
        ("{1: 'a'}[dyn(true)]", "no such key: true"),
        ("object[object.list]", "invalid qualifier type: *types.baseList"),
    ],
)
def test_what_is_not_there_is_named(expression: str, why: str) -> None:
    assert failure_of(expression) == why


def test_a_variable_that_is_not_given_is_named() -> None:
    assert failure_of("object.a", {}) == "no such attribute(s): object"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("object.?a.?b", Optional(1)),
        ("object.?a.b", Optional(1)),
        ("object.?z.b.c", NONE),
        ("object.list[?0]", Optional(1)),
        ("object.list[?9]", NONE),
        ("optional.of(object).a.b", Optional(1)),
        ("optional.none().b", NONE),
    ],
)
def test_optional_parts_need_not_be_there(expression: str, value: Optional) -> None:
    found = evaluated(expression)
    assert isinstance(found, Optional)
    assert found.present == value.present
    assert not value.present or found.value == value.value


def test_has_looks_into_optional_values() -> None:
    assert evaluated("has(optional.of(object).a.b)") is True
    assert evaluated("has(object.?z.b)") is False
