"""Limits of the parser."""

import pytest

from memkube.apimachinery.errors import ApiError
from memkube.cel.issues import Source
from memkube.cel.parser import ParseErrors, parse
from memkube.cel.syntax import Literal


def test_bindings_are_a_macro_only_if_asked_for() -> None:
    text = Source("cel.bind(x, 1, x)")
    assert type(parse(text).root).__name__ == "Call"
    assert type(parse(text, bindings=True).root).__name__ == "Comprehension"


def test_the_length_is_limited() -> None:
    assert parse(Source(f"'{'é' * 99_998}'")).root == Literal(1, "é" * 99_998)
    with pytest.raises(ParseErrors) as refused:
        parse(Source("x" * 100_001))
    assert refused.value.issues[0].message == "expression code point size exceeds limit: size: 100001, limit 100000"


@pytest.mark.parametrize("text", ["1" + " + 1" * 199, "[" * 199 + "1" + "]" * 199, "(" * 249 + "1" + ")" * 249])
def test_deep_expressions_are_parsed(text: str) -> None:
    assert not parse(Source(text)).is_deeper_than(200)


@pytest.mark.parametrize("text", ["1" + " + 1" * 240, "[" * 240 + "1" + "]" * 240, "x.map(i, " * 100 + "i" + ")" * 100])
def test_trees_that_are_too_deep_for_the_checker_are_not_implemented(text: str) -> None:
    with pytest.raises(ApiError, match="nested this deeply") as refused:
        parse(Source(text))
    assert refused.value.code == 501


def test_macros_that_copy_too_much_are_not_implemented() -> None:
    with pytest.raises(ApiError, match="macros copy this much") as refused:
        parse(Source("x" + ".optMap(v, v)" * 40))
    assert refused.value.code == 501
