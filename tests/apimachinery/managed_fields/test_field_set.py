from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkube.apimachinery.managed_fields.field_set import (
    FieldSet,
    difference,
    field_set,
    has_path,
    in_order,
    intersection,
    paths,
    recursive_difference,
    union,
)

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
