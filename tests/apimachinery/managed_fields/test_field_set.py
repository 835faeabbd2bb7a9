from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkube.apimachinery.managed_fields.field_set import (
    FieldSet,
    InvalidPathElementError,
    covers,
    difference,
    field_set,
    has_path,
    in_order,
    intersection,
    key_element,
    parsed,
    paths,
    recursive_difference,
    shown_element,
    shown_path,
    union,
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


members = st.sets(st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple), max_size=8)


def path(*names: str) -> tuple[str, ...]:
    return tuple(f"f:{name}" for name in names)


def of(names: set[tuple[str, ...]]) -> FieldSet:
    return field_set(*names)


@settings(deadline=None)
@given(members, members)
def test_sets_behave_like_sets_of_paths(one: set[tuple[str, ...]], other: set[tuple[str, ...]]) -> None:
    assert union(of(one), of(other)) == of(one | other)
    assert intersection(of(one), of(other)) == of(one & other)
    assert difference(of(one), of(other)) == of(one - other)
    assert covers(of(one), of(other)) == (one >= other)
    assert covers(of(one | other), of(other))


@settings(deadline=None)
@given(members, members)
def test_a_recursive_difference_takes_what_is_below_too(one: set[tuple[str, ...]], other: set[tuple[str, ...]]) -> None:
    rest = {names for names in one if not any(names[: len(prefix)] == prefix for prefix in other)}
    assert recursive_difference(of(one), of(other)) == of(rest)


@settings(deadline=None)
@given(members)
def test_a_set_yields_its_members(names: set[tuple[str, ...]]) -> None:
    assert set(paths(of(names))) == {path(*each) for each in names}
    assert all(has_path(of(names), path(*each)) for each in names)


def test_members_of_a_level_come_before_those_below() -> None:
    fields = field_set(("a", "b"), "c")
    assert list(paths(fields)) == [path("c"), path("a", "b")]


@pytest.mark.parametrize(
    ("elements", "ordered"),
    [
        (['k:{"port":443}', 'k:{"port":80}'], ['k:{"port":80}', 'k:{"port":443}']),
        (["f:b", ".", "f:a"], [".", "f:a", "f:b"]),
        (['v:"b"', 'v:"a"', "f:z"], ["f:z", 'v:"a"', 'v:"b"']),
    ],
)
def test_steps_are_ordered_by_kind_and_value(elements: list[str], ordered: list[str]) -> None:
    level: dict[str, Any] = {element: {} for element in elements}
    assert list(in_order(level)) == ordered


@pytest.mark.parametrize(
    ("element", "shown"),
    [
        ('k:{"name":"a","port":1}', '[name="a",port=1]'),
        ('k:{"rule":["a",{"b":null},{}]}', '[rule=["a",b=null,]]'),
        ('v:"a"', '[="a"]'),
    ],
)
def test_error_messages_show_list_items_by_their_keys(element: str, shown: str) -> None:
    assert shown_element(element) == shown
