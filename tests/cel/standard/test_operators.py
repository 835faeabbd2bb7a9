"""Arithmetic, order and equality of values of different types."""

import pytest

from memkube.cel.syntax import Unsigned
from memkube.cel.values import Value
from tests.cel.evaluating import evaluated, failure_of


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("7u / 2u", Unsigned(3)),
        ("1.0 / 0.0", float("inf")),
        ("-1.0 / 0.0", float("-inf")),
        ("'a' + 'b'", "ab"),
        ("b'a' + b'b'", b"ab"),
        ("[1] + [2]", [1, 2]),
        ("-(3)", -3),
        ("1 < 2", True),
        ("dyn(1) < 1.5", True),
        ("dyn(2u) >= 2", True),
        ("'a' < 'é'", True),
        ("b'a' < b'b'", True),
        ("false < true", True),
        ("type(1) == dyn(ip('10.0.0.1'))", False),
        ("dyn(duration('1s')) == quantity('1')", False),
    ],
)
def test_operators_compute(expression: str, value: Value) -> None:
    found = evaluated(expression)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("9223372036854775807 + 1", "integer overflow"),
        ("-9223372036854775808 - 1", "integer overflow"),
        ("9223372036854775807 * 2", "integer overflow"),
        ("-9223372036854775808 / -1", "integer overflow"),
        ("-9223372036854775808 % -1", "integer overflow"),
        ("-(-9223372036854775808)", "integer overflow"),
        ("1u - 2u", "unsigned integer overflow"),
        ("18446744073709551615u + 1u", "unsigned integer overflow"),
        ("1 / 0", "division by zero"),
        ("1u % 0u", "modulus by zero"),
        ("0.0 / 0.0 < 1.0", "NaN values cannot be ordered"),
        ("dyn('a') + dyn(1)", "no such overload"),
        ("dyn({}) + dyn(1)", "no such overload: _+_"),
        ("dyn(null) < dyn(1)", "no such overload: _<_"),
        ("dyn('a') * dyn(1)", "no such overload"),
        ("dyn(1) < dyn('a')", "no such overload"),
        ("-dyn('a')", "no such overload"),
        ("dyn(1).size()", "no such overload: size"),
        ("dyn(n).contains('a')", "no such overload"),
        ("dyn(n).matches(s)", "no such overload: matches"),
        ("dyn(n).matches('h')", "no such overload"),
        ("s.matches(s + '(')", "error parsing regexp: missing closing ): `hello(`"),
        ("1 in dyn(n)", "no such overload"),
    ],
)
def test_operators_fail_in_the_words_of_cel_go(expression: str, why: str) -> None:
    assert failure_of(expression) == why


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("1", "1.0", True),
        ("1u", "1", True),
        ("1", "'1'", False),
        ("1", "true", False),
        ("null", "1", False),
        ("[1, 2]", "[1.0, 2.0]", True),
        ("[1]", "[true]", False),
        ("{1: 2}", "{1u: 2.0}", True),
        ("{'a': [1]}", "{'a': [1]}", True),
        ("{'a': 1}", "{'b': 1}", False),
        ("9007199254740993", "9007199254740992.0", True),
        ("double('NaN')", "double('NaN')", False),
        ("timestamp('2024-01-01T01:00:00+01:00')", "timestamp('2024-01-01T00:00:00Z')", True),
        ("duration('60s')", "duration('1m')", True),
        ("optional.of(1)", "optional.of(1)", True),
        ("optional.none()", "optional.of(1)", False),
        ("type(1)", "int", True),
    ],
)
def test_equality_holds_over_kinds(one: str, other: str, same: bool) -> None:
    assert evaluated(f"dyn({one}) == dyn({other})") is same
    assert evaluated(f"dyn({one}) != dyn({other})") is not same


def test_keys_that_a_dictionary_takes_for_the_same_are_refused() -> None:
    assert "keys of different types" in failure_of("{dyn(n): 1, dyn(5u): 2}")
    assert "keys of different types" in failure_of("[1].transformMapEntry(i, v, {dyn(v): i, dyn(yes): v})")
