"""Values of literals that cel-go's tests do not show in full."""

import pytest

from memkube.cel.parsing.values import InvalidLiteral, double, integer, octets, string, unsigned


def test_leading_zeros_do_not_count() -> None:
    assert integer("0" * 5000 + "7") == 7
    assert unsigned("0x" + "0" * 5000 + "fu") == 15


@pytest.mark.parametrize("text", ["9223372036854775808", "-9223372036854775809", "9" * 5000, "-0x8000000000000001"])
def test_integers_have_64_bits(text: str) -> None:
    with pytest.raises(InvalidLiteral, match="invalid int literal"):
        integer(text)


def test_doubles_are_finite() -> None:
    assert double("1e308") == 1e308
    with pytest.raises(InvalidLiteral, match="invalid double literal"):
        double("-1e309")


def test_line_ends_are_normalized() -> None:
    assert string("'''a\r\nb\rc'''") == "a\nb\nc"
    assert octets("bR'''a\r\n\\n'''") == b"a\n\\n"


@pytest.mark.parametrize(("text", "value"), [("''", ""), ("''''''", ""), ('"""a"b"""', 'a"b'), ("r''", "")])
def test_quotes_are_removed(text: str, value: str) -> None:
    assert string(text) == value
