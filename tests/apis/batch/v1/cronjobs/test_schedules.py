import re
from datetime import datetime

import pytest

from memkube.apis.batch.v1.cronjobs.schedules import is_zone_name, parse_schedule, time_zone


@pytest.mark.parametrize(
    "schedule",
    [
        "* * * * *",
        "*/5 0-23/2 1,15 JAN-mar Mon",
        "? ? ? ? ?",
        "0 0 ? * 1/2",
        ", * * * *",
        "*-5 * * * *",
        "+5 * * * *",
        "  0\t0 1 1 *  ",
        "@midnight",
        "@every -1h30m",
        "TZ=UTC 0 0 * * *",
        "CRON_TZ=Europe/Berlin @daily",
    ],
)
def test_what_the_reference_reads_is_a_schedule(schedule: str) -> None:
    parse_schedule(schedule)


@pytest.mark.parametrize(
    ("schedule", "why"),
    [
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("0 0 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("0 24 * * *", "end of range (24) above maximum (23): 24"),
        ("0 0 * * 7", "end of range (7) above maximum (6): 7"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        ("*/-1 * * * *", "negative number (-1) not allowed: -1"),
        ("5/0 * * * *", "step of range should be a positive number: 5/0"),
        ("1e1 * * * *", 'failed to parse int from 1e1: strconv.Atoi: parsing "1e1": invalid syntax'),
        (
            f"{2**63} * * * *",
            f'failed to parse int from {2**63}: strconv.Atoi: parsing "{2**63}": value out of range',
        ),
        ("0 0 * foo *", 'failed to parse int from foo: strconv.Atoi: parsing "foo": invalid syntax'),
        ("@Daily", "unrecognized descriptor: @Daily"),
        ("@every", "unrecognized descriptor: @every"),
        ("@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'),
        ("TZ=0", "invalid schedule format: runtime error: slice bounds out of range [:-1]"),
        ("TZ=Odd * * * * *", "provided bad location Odd: unknown time zone Odd"),
    ],
)
def test_what_the_reference_does_not_read_is_refused_in_its_words(schedule: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
        parse_schedule(schedule)


@pytest.mark.parametrize("name", ["UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires"])
def test_zones_of_the_database_are_known(name: str) -> None:
    assert is_zone_name(name)
    time_zone(name)


@pytest.mark.parametrize("name", ["utc", "europe/berlin", "Europe", "Mars/Olympus"])
def test_other_zones_are_not(name: str) -> None:
    with pytest.raises(ValueError, match=f"unknown time zone {name}"):
        time_zone(name)


@pytest.mark.parametrize("name", ["", "/", "../etc", "a/-b", "a b", "Fifteen-letters"])
def test_some_names_could_be_no_zone(name: str) -> None:
    assert not is_zone_name(name)


@pytest.mark.parametrize(
    ("schedule", "start", "due"),
    [
        ("0 0 1 1 *", "2020-01-02T03:04:05Z", "2021-01-01T00:00:00Z"),
        ("*/15 * * * *", "2026-01-02T03:15:00Z", "2026-01-02T03:30:00Z"),
        ("* * * * *", "2026-12-31T23:59:00.5Z", "2027-01-01T00:00:00Z"),
        ("30 6-16/4 * * 1-5", "2026-01-02T14:30:00Z", "2026-01-05T06:30:00Z"),
        ("0 0 29 2 *", "2026-01-02T03:04:05Z", "2028-02-29T00:00:00Z"),
        ("0 0 * JAN SUN", "2020-01-02T03:04:05Z", "2020-01-05T00:00:00Z"),
        ("@weekly", "2026-01-02T03:04:05Z", "2026-01-04T00:00:00Z"),
        ("@every 1h30m", "2026-01-02T03:04:05.7Z", "2026-01-02T04:34:05Z"),
        ("@every -1h", "2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z"),
    ],
)
def test_a_schedule_is_due_at_the_next_matching_time(schedule: str, start: str, due: str) -> None:
    assert parse_schedule(schedule).after(datetime.fromisoformat(start)) == datetime.fromisoformat(due)


@pytest.mark.parametrize(
    ("days", "due"),
    [("13 * 5", "2026-01-09"), ("*/2 * 5", "2026-01-03"), ("* * 5", "2026-01-09"), ("13 * *", "2026-01-13")],
)
def test_a_day_matches_one_of_two_restricted_fields_and_both_if_one_is_a_star(days: str, due: str) -> None:
    found = parse_schedule(f"0 0 {days}").after(datetime.fromisoformat("2026-01-02T12:00:00Z"))
    assert found == datetime.fromisoformat(f"{due}T00:00:00Z")


@pytest.mark.parametrize(
    ("schedule", "start", "due"),
    [
        ("TZ=Asia/Tokyo 0 0 1 1 *", "2025-06-01T00:00:00Z", "2025-12-31T15:00:00Z"),
        ("TZ=America/New_York 30 2 11 Mar ?", "2012-03-11T00:00:00-05:00", "2013-03-11T02:30:00-04:00"),
        ("TZ=America/New_York 0 * * * ?", "2012-03-11T01:00:00-05:00", "2012-03-11T03:00:00-04:00"),
        ("TZ=America/New_York 0 1 * * ?", "2012-11-04T01:00:00-04:00", "2012-11-04T01:00:00-05:00"),
        ("TZ=America/New_York 0 0 * * ?", "2012-11-04T05:00:00-04:00", "2012-11-05T00:00:00-05:00"),
        ("TZ=America/Sao_Paulo 0 9 10 * ?", "2018-10-17T05:00:00-04:00", "2018-11-10T06:00:00-05:00"),
    ],
)
def test_times_in_a_zone_follow_its_clock_changes(schedule: str, start: str, due: str) -> None:
    assert parse_schedule(schedule).after(datetime.fromisoformat(start)) == datetime.fromisoformat(due)


@pytest.mark.parametrize("schedule", ["59 23 31 2 *", ", * * * *", "* , * * *", "* * * , *"])
def test_a_schedule_may_never_be_due(schedule: str) -> None:
    assert parse_schedule(schedule).after(datetime.fromisoformat("2026-01-02T03:04:05Z")) is None
