"""Run-time costs of expressions, which are those that cel-go counts."""

import pytest

from tests.cel.evaluating import cost_of


@pytest.mark.parametrize(
    ("expression", "cost"),
    [
        ("1", 0),
        ("n", 1),
        ("n + 1", 2),
        ("object.a.b", 3),
        ("object['a']", 2),
        ("object[words[0]]", 3),
        ("object.list[n - 4]", 5),
        ("[n][0]", 13),
        ("has(object.a)", 1),
        ("has(object.a.b)", 2),
        ("object.?a.?b", 3),
        ("object.?z.?b", 1),
        ("yes ? n : 1", 1),
        ("yes ? object.a.b : 1", 3),
        ("(yes ? object : object.a).a", 2),
        ("n == 5 && yes", 3),
        ("n == 4 && yes", 2),
        ("[1, 2]", 0),
        ("[n, 2]", 11),
        ("{'a': n}", 31),
        ("n in [1, 2, 5]", 1),
        ("n in [1, n]", 14),
        ("s in words", 5),
        ("'x' in counts", 2),
        ("int('5')", 0),
        ("duration('1h') == duration('60m')", 1),
        ("string(n)", 2),
        ("type(n) == int", 3),
        ("object.a.b == 1 || object.z == 1", 4),
        ("object.z == 1 || n == 5", 5),
        ("object.z.indexOf(object.list) == 1 || yes", 4),
        ("optional.of(n).orValue(1)", 2),
        ("words.all(w, w.size() > 0)", 20),
        ("words.exists(w, w == 'a')", 11),
        ("words.map(w, w)", 41),
        ("words.filter(w, w == 'a')", 21),
    ],
)
def test_ways_calls_and_loops_cost(expression: str, cost: int) -> None:
    assert cost_of(expression) == cost


LONG = {"s": "x" * 95, "words": ["y" * 45]}


@pytest.mark.parametrize(
    ("expression", "cost"),
    [
        ("s == s", 12),
        ("s == 'x'", 2),
        ("s < words[0]", 8),
        ("s + words[0]", 17),
        ("s.startsWith(words[0])", 13),
        ("s.contains(words[0])", 53),
        ("s.matches('abcdefgh')", 21),
        ("matches(s, 'abcdefgh')", 2),
        ("bytes(s)", 11),
        ("size(s)", 2),
        ("dyn(s) + dyn(s)", 5),
    ],
)
def test_texts_cost_by_their_length(expression: str, cost: int) -> None:
    assert cost_of(expression, LONG) == cost
