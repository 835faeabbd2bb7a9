"""Macros over lists and maps, such as ``all`` and ``map``."""

import pytest

from memkube.cel.values import Value
from tests.cel.evaluating import evaluated, failure_of


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("words.all(w, w.size() > 0)", True),
        ("words.exists(w, w == 'bb')", True),
        ("words.exists_one(w, w == 'bb')", True),
        ("words.exists_one(i, w, i > 0)", False),
        ("words.map(w, w + '!')", ["a!", "bb!", "hello!"]),
        ("words.map(w, w.size() > 1, w.size())", [2, 5]),
        ("words.filter(w, w < 'b')", ["a"]),
        ("counts.all(k, counts[k] > 0)", True),
        ("counts.map(k, k)", ["x", "y"]),
        ("[[1, 2], [3]].map(l, l.map(i, i * 2))", [[2, 4], [6]]),
        ("[1, 2].map(i, [3, 4].map(j, i * j))", [[3, 4], [6, 8]]),
        ("words.all(i, w, w.size() > i)", True),
        ("words.transformList(i, w, i > 0, w + string(i))", ["bb1", "hello2"]),
        ("counts.transformMap(k, v, v * 10)", {"x": 10, "y": 20}),
        ("counts.transformMapEntry(k, v, {v: k})", {1: "x", 2: "y"}),
        ("cel.bind(twice, n * 2, twice + twice)", 20),
        ("cel.bind(unused, 1 / 0, n)", 5),
        ("optional.of(n).optMap(o, o + 1).value()", 6),
        ("optional.of(n).optFlatMap(o, optional.none()).hasValue()", False),
    ],
)
def test_loops_gather(expression: str, value: Value) -> None:
    assert evaluated(expression) == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[1, 0].exists(i, 1 / i == 1)", True),
        ("[0, 1].exists(i, 1 / i == 1)", True),
        ("[0, 2].all(i, 1 / i > 5)", False),
    ],
)
def test_errors_are_forgotten_once_an_item_decides(expression: str, value: Value) -> None:
    assert evaluated(expression) is value


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("[0, 1].all(i, 1 / i > 0)", "division by zero"),
        ("[0, 1].map(i, 1 / i)", "division by zero"),
        ("[1, 0].filter(i, 1 / i > 0)", "division by zero"),
        ("words.transformMapEntry(i, w, {'same': w})", "insert failed: key same already exists"),
        ("dyn(n).all(i, true)", "got 'types.Int', expected iterable type"),
        ("dyn(s).all(i, j, true)", "unsupported comprehension range type: types.String"),
    ],
)
def test_errors_that_nothing_decides_are_the_result(expression: str, why: str) -> None:
    assert failure_of(expression) == why


def test_what_is_written_out_is_not_changed_by_loops() -> None:
    assert evaluated("[[1], [2]].map(l, l + [3]) == [[1, 3], [2, 3]] && [1].map(i, i).map(i, i) == [1]") is True


def test_loops_inside_of_loops_see_the_outer_variables() -> None:
    assert evaluated("words.all(w, words.exists(v, v == w && words.exists(w, w != v)))") is True
