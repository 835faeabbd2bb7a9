"""Functions of lists and sets, with the results of Kubernetes and cel-go."""

import pytest

from memkube.cel.errors import CostLimitExceeded
from memkube.cel.values import Duration, Value
from tests.cel.functions.evaluating import error_of, value_of


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[1, 1, 2].isSorted() && !['b', 'a'].isSorted() && [].isSorted()", True),
        ("[dyn(1), dyn('a')].isSorted()", True),
        ("[1, 2].sum()", 3),
        ("[duration('1s'), duration('1ms')].sum()", Duration(1_001_000_000)),
        ("[].sum()", 0),
        ("['b', 'a', 'c'].min() + ['b', 'a', 'c'].max()", "ac"),
        ("[3.0, double('NaN'), 1.0].max()", 3.0),
        ("[dyn(1), dyn(2), dyn(1.0)].lastIndexOf(1)", 2),
        ("[ip('1.1.1.1')].indexOf(ip('1.1.1.2'))", -1),
        ("[dyn(ip('1.1.1.1')), dyn(1)].indexOf(1)", 1),
        ("[1, 2, 3].slice(1, 3)", [2, 3]),
        ("[[1, 2], [], [3]].flatten()", [1, 2, 3]),
        ("[dyn(1), dyn([2, 3])].flatten(0)", [1, [2, 3]]),
        ("dyn([1, 2]).flatten()", [1, 2]),
        ("[dyn(1), dyn([dyn([2])])].flatten(2)", [1, 2]),
        ("['c', 'a', 'b'].sort()", ["a", "b", "c"]),
        ("[3.0, double('NaN'), 1.0, 2.0].sort().slice(2, 4)", [1.0, 2.0]),
        ("['bb', 'c', 'aa'].sortBy(e, e.size())", ["c", "bb", "aa"]),
        ("[].sort()", []),
        ("lists.range(3) + lists.range(-1)", [0, 1, 2]),
        ("[1, 2].reverse()", [2, 1]),
        ("[dyn(1), dyn(1.0), dyn(1u), dyn(true)].distinct()", [1, True]),
        ("['b', 'a', 'b'].distinct()", ["b", "a"]),
        ("size([double('NaN'), double('NaN')].distinct())", 2),
        ("sets.contains([1, 2], [2, 2]) && !sets.contains([1], [2])", True),
        ("sets.contains([dyn(1), dyn('a')], [dyn(1.0)])", True),
        ("sets.equivalent([1, 1], [1]) && sets.equivalent([], [])", True),
        ("sets.intersects([[1]], [[1], [2]]) && !sets.intersects([], [])", True),
        ("sets.contains([dyn(ip('1.1.1.1'))], [dyn(1)])", False),
        ("quantity('1') in [quantity('1').add(0)] || !(quantity('1').add(0) in [quantity('1')])", False),
    ],
)
def test_a_list_comes_to(expression: str, value: Value) -> None:
    assert value_of(expression) == value


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("[].min()", "min called on empty list"),
        ("[].max()", "max called on empty list"),
        ("[9223372036854775807, 1].sum()", "integer overflow"),
        ("[18446744073709551615u, 1u].sum()", "unsigned integer overflow"),
        ("[duration('2562047h'), duration('2562047h')].sum()", "integer overflow"),
        ("[dyn(1), dyn(1.5)].sum()", "no such overload"),
        ("dyn(['a']).sum()", "no such overload: sum(list)"),
        ("[dyn(1), dyn(null)].isSorted()", "no such overload"),
        ("[1].slice(-1, 1)", "cannot slice(-1, 1), negative indexes not supported"),
        ("[1].slice(1, 0)", "cannot slice(1, 0), start index must be less than or equal to end index"),
        ("[1].slice(0, 2)", "cannot slice(0, 2), list is length 1"),
        ("[dyn(1)].flatten(-1)", "level must be non-negative"),
        ("dyn(1).flatten()", "no such overload: int.flatten()"),
        ("[dyn(1), dyn('a')].sort()", "list elements must have the same type"),
        ("dyn([ip('1.1.1.1')]).sort()", "list elements must be comparable"),
        ("dyn([1, 2]).sortBy(e, dyn(null))", "list elements must be comparable"),
        (
            "[1].sortBy(e, e / 0)",
            "internal error: interface conversion: *types.Err is not traits.Lister: missing method Add",
        ),
        (
            "dyn({'a': 1}).distinct()",
            "internal error: interface conversion: *types.baseMap is not traits.Lister: missing method Add",
        ),
        (
            "dyn(5).distinct()",
            "internal error: interface conversion: types.Int is not traits.Lister: missing method Contains",
        ),
        (
            "dyn('a').distinct()",
            "internal error: interface conversion: types.String is not traits.Lister: missing method Contains",
        ),
        (
            "[[1]].flatten(dyn('a'))",
            "internal error: interface conversion: ref.Val is types.String, not types.Int",
        ),
    ],
)
def test_a_list_has_no_value(expression: str, error: str) -> None:
    assert error_of(expression) == error


@pytest.mark.parametrize(
    "expression", ["lists.range(1000000000)", "sets.contains(x, x)", "x.distinct()", "sets.intersects(x, x)"]
)
def test_what_costs_too_much_is_not_even_tried(expression: str) -> None:
    many = [float(number) for number in range(2_000)]
    with pytest.raises(CostLimitExceeded):
        value_of(expression, {"x": many})


@pytest.mark.parametrize("expression", ["x.join(x[0])", "x[0].replace('', x[0])", "'%s%s'.format(x)"])
def test_texts_that_are_far_too_long_are_not_made(expression: str) -> None:
    with pytest.raises(CostLimitExceeded):
        value_of(expression, {"x": ["a" * 60_000_000] * 2})
