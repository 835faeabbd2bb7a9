"""The other parser: the trees of cel-go, and its messages about everything that is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkube.cel.parsing.tokens import KINDS
from tests.cel.parsing.parsers import plain_tree, recorded, recovered

_PIECES = st.sampled_from(
    [*KINDS[1:26], "a", "1", "'s'", "a.b", "f(", " ", "\n", "@", "=", "'", "`x`", "//", "null", "-5"]
)


@pytest.mark.parametrize(("text", "tree"), recorded("trees"))
def test_trees_are_those_of_cel_go(text: str, tree: str) -> None:
    assert recovered(text) == (tree, [])


@pytest.mark.parametrize("line", recorded("errors"), ids=lambda line: line[0])
def test_errors_are_those_of_cel_go(line: list[str]) -> None:
    text, *errors = line
    assert recovered(text)[1] == errors


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_any_text_has_a_tree_or_errors(text: str) -> None:
    tree, errors = recovered(text)
    assert plain_tree(text) == (None if errors else tree)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[" * 251, "-1:0: expression recursion limit exceeded: 250"),
        ("(" * 251 + "1" + ")" * 251, "-1:0: expression recursion limit exceeded: 250"),
        ("1+(" * 125 + "1" + ")" * 125, "-1:0: expression recursion limit exceeded: 250"),
        ("1" + " + 1" * 251, "-1:0: max recursion depth exceeded"),
        ("a" + ".b" * 251, "-1:0: max recursion depth exceeded"),
        ("a" + "[1]" * 251, "-1:0: max recursion depth exceeded"),
    ],
)
def test_depth_is_limited(text: str, error: str) -> None:
    assert recovered(text) == (None, [error])


def test_recovery_from_errors_is_given_up_after_a_while() -> None:
    tree, errors = recovered("f(1 2) + " * 40)
    assert (tree, len(errors)) == (None, 31)
    assert errors[-1] == "1:275: Syntax error: error recovery attempt limit exceeded: 30"


def test_only_a_limited_number_of_tokens_is_skipped() -> None:
    tree, errors = recovered("f(" + "1 " * 300 + ")")
    assert tree is None
    assert errors == [
        "-1:0: error recovery token lookahead limit exceeded: 256",
        "1:5: Syntax error: mismatched input '1' expecting ')'",
    ]


def test_no_more_than_a_hundred_syntax_errors_are_reported() -> None:
    tree, errors = recovered("@" * 300)
    assert (tree, len(errors)) == (None, 101)
    assert errors[-1] == "1:101: Syntax error: More than 100 syntax errors"
