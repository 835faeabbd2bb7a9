import pytest

from memkube.endpoints.checks import parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1),
        ("1h2m", 3720),
        ("1.5s", 1.5),
        (".5s", 0.5),
        ("-1s", -1),
        ("+1s", 1),
        ("0", 0),
        ("-0", 0),
        ("1.s", 1),
        ("1µs", 1e-6),
        ("1h1ns", 3600.000000001),
    ],
)
def test_durations_are_taken_as_go_takes_them(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


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
    with pytest.raises(ValueError, match="duration") as error:
        parse_duration(text)
    assert str(error.value) == f'{problem} duration "{text}"'
