"""Logical operators ignore an operand's error if the other operand decides the result."""

import pytest

from memkube.cel.values import Value
from tests.cel.evaluating import evaluated, failure_of


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 / 0 > 0 && false", False),
        ("false && 1 / 0 > 0", False),
        ("1 / 0 > 0 || true", True),
        ("true || 1 / 0 > 0", True),
        ("dyn(1) && false", False),
        ("dyn(1) || true", True),
        ("yes ? 1 : 1 / 0", 1),
        ("1 in []", False),
        ("dyn(1.0) in [1, 2]", True),
        ("'x' in object.items[0]", False),
        ("'k' in object.items[0]", True),
        ("object.list in [[1, 2, 3]]", True),
        ("dyn(1) != dyn('a')", True),
        ("object.a.none == null", True),
    ],
)
def test_what_decides_is_enough(expression: str, value: Value) -> None:
    assert evaluated(expression) == value


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("1 / 0 > 0 && true", "division by zero"),
        ("1 / 0 > 0 && 1 % 0 > 0", "division by zero"),
        ("true && 1 % 0 > 0", "modulus by zero"),
        ("1 / 0 > 0 || false", "division by zero"),
        ("dyn(1) && true", "no such overload"),
        ("!dyn(1)", "no such overload"),
        ("dyn(1) ? 1 : 2", "no such overload"),
        ("1 / 0 > 0 ? 1 : 2", "division by zero"),
        ("object.z == object.y", "no such key: z"),
    ],
)
def test_the_first_error_counts_where_nothing_decides(expression: str, why: str) -> None:
    assert failure_of(expression) == why
