"""The recursive-descent parser gives the trees of cel-go, and leaves everything else to the other parser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cel.parsing.parsers import plain_tree, recorded, recovered

_NAMES = st.sampled_from(["a", "b.c", "size", "x_1"])
_LITERALS = st.sampled_from(["1", "-2", "3u", "0x1F", "1.5", "'s'", "b'x'", "true", "null", "r'\\d'"])
_BINARY = st.sampled_from(["+", "-", "*", "/", "==", "<", "in", "&&", "||"])


def _larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(smaller, max_size=3)
    return st.one_of(
        st.builds("({} {} {})".format, smaller, _BINARY, smaller),
        st.builds("{} {} {}".format, smaller, _BINARY, smaller),
        st.builds("({} ? {} : {})".format, smaller, smaller, smaller),
        st.builds("({}).f({})".format, smaller, several.map(", ".join)),
        st.builds("({})[{}]".format, smaller, smaller),
        st.builds("({}).?b".format, smaller),
        st.builds("[?{}, {},]".format, smaller, smaller),
        st.builds("{{{}: {}}}".format, smaller, smaller),
        st.builds("T.a{{x: {}}}".format, smaller),
        st.builds("({}).map(i, {})".format, smaller, smaller),
        st.builds("!({})".format, smaller),
        st.builds("-({})".format, smaller),
    )


VALID = st.recursive(_NAMES | _LITERALS, _larger, max_leaves=12)


@pytest.mark.parametrize(("text", "tree"), recorded("trees"))
def test_trees_are_those_of_cel_go(text: str, tree: str) -> None:
    assert plain_tree(text) == tree


@pytest.mark.parametrize("text", [line[0] for line in recorded("errors")])
def test_invalid_expressions_are_refused(text: str) -> None:
    assert plain_tree(text) is None


@given(VALID)
def test_both_parsers_agree(text: str) -> None:
    assert recovered(text) == (plain_tree(text), [])
