from datetime import UTC, datetime

import pytest

from memkube.apimachinery.duration import human_age, human_duration, parse_duration

MINUTE, HOUR, DAY = 60, 3600, 86400
YEAR = 365 * DAY


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-2, "<invalid>"),
        (-1.9, "0s"),
        (-0.5, "0s"),
        (0, "0s"),
        (119.9, "119s"),
        (2 * MINUTE, "2m"),
        (3 * MINUTE + 20, "3m20s"),
        (10 * MINUTE + 20, "10m"),
        (3 * HOUR - 1, "179m"),
        (3 * HOUR, "3h"),
        (5 * HOUR + 12 * MINUTE + 9, "5h12m"),
        (8 * HOUR + 12 * MINUTE, "8h"),
        (2 * DAY - 1, "47h"),
        (2 * DAY, "2d"),
        (3 * DAY + 4 * HOUR, "3d4h"),
        (8 * DAY + 4 * HOUR, "8d"),
        (2 * YEAR - 1, "729d"),
        (2 * YEAR, "2y"),
        (3 * YEAR + 10 * DAY, "3y10d"),
        (8 * YEAR + 10 * DAY, "8y"),
        (1000 * YEAR, "292y"),
    ],
)
def test_a_duration_has_few_significant_figures(seconds: float, text: str) -> None:
    assert human_duration(seconds) == text


@pytest.mark.parametrize("written", ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000Z"])
def test_an_age_counts_from_a_written_time(written: str) -> None:
    assert human_age(written, datetime(2026, 1, 1, 0, 1, 30, tzinfo=UTC)) == "90s"


@pytest.mark.parametrize("written", [None, ""])
def test_no_time_is_of_unknown_age(written: str | None) -> None:
    assert human_age(written, datetime(2026, 1, 1, tzinfo=UTC)) == "<unknown>"


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
