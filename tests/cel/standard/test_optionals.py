"""Optional values."""

import pytest

from memkube.cel.values import Value
from tests.cel.evaluating import evaluated, failure_of


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("optional.of(null).hasValue()", True),
        ("optional.of(1).or(optional.of(1 / 0)).value()", 1),
        ("optional.none().or(optional.of(2)).value()", 2),
        ("optional.of(1).orValue(1 / 0)", 1),
        ("[1, 2].first().value()", 1),
        ("words.last().value()", "hello"),
        ("[].last().hasValue()", False),
        ("optional.unwrap([optional.of(1), optional.none()])", [1]),
        ("[optional.none(), optional.of(2)].unwrapOpt()", [2]),
        ("[?object.?a.?b, ?object.?z, dyn(3)]", [1, 3]),
        ("{'a': dyn(1), ?'b': object.?z, ?'c': object.?a.?b}", {"a": 1, "c": 1}),
    ],
)
def test_what_is_there_is_taken(expression: str, value: Value) -> None:
    assert evaluated(expression) == value


@pytest.mark.parametrize("zero", ["0", "0u", "0.0", "''", "b''", "false", "null", "[]", "{}", "duration('0')"])
def test_zeros_need_not_be_values(zero: str) -> None:
    assert evaluated(f"optional.ofNonZeroValue({zero}).hasValue()") is False


def test_moments_are_values_even_if_they_are_nought() -> None:
    assert evaluated("optional.ofNonZeroValue(timestamp(0)).hasValue()") is True


def test_reading_what_is_not_there_fails() -> None:
    assert failure_of("optional.none().value()") == "optional.none() dereference"


def test_parts_that_are_not_optional_cannot_be_left_out() -> None:
    assert failure_of("[?dyn(n)]") == "cannot initialize optional list element from non-optional value 5"
    assert failure_of("{?'a': dyn(n)}") == "cannot initialize optional entry 'a' from non-optional value 5"
