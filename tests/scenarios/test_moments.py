from datetime import UTC, datetime, timedelta

import pytest

from memkube.scenarios.moments import Moment

START = datetime(2026, 1, 5, 8, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0s", START),
        ("1h30m", START + timedelta(minutes=90)),
        ("09:00", START.replace(hour=9, minute=0)),
        ("08:30", START),
        ("8:29:30", datetime(2026, 1, 6, 8, 29, 30, tzinfo=UTC)),
        ("2026-01-05T10:00:00+01:00", datetime(2026, 1, 5, 9, tzinfo=UTC)),
    ],
)
def test_a_moment_is_an_offset_a_time_of_day_or_a_date(text: str, expected: datetime) -> None:
    assert Moment(text).after(START) == expected


@pytest.mark.parametrize("text", ["3 minutes", "25:00", "-1m", "", "2026-01-32T00:00:00Z"])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no time|not a time|negative"):
        Moment(text)
