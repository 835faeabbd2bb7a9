import re

import pytest

from memkube.apis.batch.v1.cronjobs.schedules import check_schedule, check_time_zone, is_zone_name


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
    check_schedule(schedule)


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
        check_schedule(schedule)


@pytest.mark.parametrize("name", ["UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires"])
def test_zones_of_the_database_are_known(name: str) -> None:
    assert is_zone_name(name)
    check_time_zone(name)


@pytest.mark.parametrize("name", ["utc", "europe/berlin", "Europe", "Mars/Olympus"])
def test_other_zones_are_not(name: str) -> None:
    with pytest.raises(ValueError, match=f"unknown time zone {name}"):
        check_time_zone(name)


@pytest.mark.parametrize("name", ["", "/", "../etc", "a/-b", "a b", "Fifteen-letters"])
def test_some_names_could_be_no_zone(name: str) -> None:
    assert not is_zone_name(name)
