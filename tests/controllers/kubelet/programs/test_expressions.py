"""The shell command ``expr``."""

import pytest

from tests.controllers.kubelet.programs.playing import played


@pytest.mark.parametrize(
    ("words", "output", "code"),
    [
        ("7 % 2", "1", 0),
        ("4 % 2", "0", 1),
        ("-7 / 2", "-3", 0),
        ("-7 % 2", "-1", 0),
        ("2 + 3 * 4", "14", 0),
        ("( 2 + 3 ) * 4", "20", 0),
        ("10 - 3 - 2", "5", 0),
        ("2 < 10", "1", 0),
        ("b < a", "0", 1),
        ("1 = 01", "1", 0),
        ("1 != 1 | 5", "5", 0),
        ("1 & 0", "0", 1),
        ("word", "word", 0),
    ],
)
def test_expressions_have_the_value_and_exit_code_of_posix(words: str, output: str, code: int) -> None:
    result = played("expr", *words.split())
    assert (result.output, result.code) == (f"{output}\n", code)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("1 / 0", "division by zero"),
        ("a + 1", "non-numeric argument"),
        ("1 +", "syntax error"),
        ("1 2", "syntax error"),
    ],
)
def test_invalid_expressions_are_errors(words: str, problem: str) -> None:
    result = played("expr", *words.split())
    assert (result.errors, result.code) == (f"expr: {problem}\n", 2)


def test_operators_on_strings_are_not_simulated() -> None:
    assert played("expr", "abc", ":", "a", becomes_server=True).serves == "expr abc : a is not simulated"
