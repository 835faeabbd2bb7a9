import pytest

from memkube.endpoints.checks import duration_problem


@pytest.mark.parametrize("text", ["1s", "1h2m", "1.5s", ".5s", "-1s", "+1s", "0", "-0", "1.s", "1µs", "1h1ns"])
def test_durations_are_taken_as_go_takes_them(text: str) -> None:
    assert duration_problem(text) == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1", "missing unit in"),
        ("1h1", "missing unit in"),
        ("1d", 'unknown unit "d" in'),
        ("1 s", 'unknown unit " s" in'),
        ("x", "invalid"),
        (".s", "invalid"),
        ("-", "invalid"),
        ("9999999h", "invalid"),
    ],
)
def test_what_is_wrong_with_a_duration_is_told(text: str, problem: str) -> None:
    assert duration_problem(text) == problem
