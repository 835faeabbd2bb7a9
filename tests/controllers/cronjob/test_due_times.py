"""Due times of schedules. The cases are from Kubernetes' ``utils_test.go``; times are relative to Thursday, 10:00."""

from datetime import UTC, datetime, timedelta

import pytest

from memkube.apimachinery.time import Time
from memkube.apis.batch.v1.cronjobs.schedules import parse_schedule
from memkube.apis.batch.v1.cronjobs.types import CronJob
from memkube.controllers.cronjob.due_times import due_time, go_seconds, seconds_to_next

_HOUR = datetime(2016, 5, 19, 10, tzinfo=UTC)
_OFFICE = "30 6-16/4 * * 1-5"


def at(hours: float = 0, minutes: float = 0, seconds: float = 0) -> datetime:
    return _HOUR + timedelta(hours=hours, minutes=minutes, seconds=seconds)


def cron_job(schedule: str, *, created: datetime = _HOUR, last: datetime | None = None) -> CronJob:
    found = CronJob()
    found.metadata.creationTimestamp = Time.at(created)
    found.spec.schedule = schedule
    found.status.lastScheduleTime = None if last is None else Time.at(last)
    return found


@pytest.mark.parametrize(
    ("tested", "now", "latest"),
    [
        (cron_job("0 * * * *"), at(seconds=30), None),
        (cron_job("0 * * * *"), at(minutes=61), at(minutes=60)),
        (cron_job("0 * * * *", created=at(seconds=10)), at(minutes=301), at(minutes=300)),
        (cron_job(_OFFICE, last=at(minutes=30)), at(24, 31), at(24, 30)),
        (cron_job("30 10,11,12 * * 1-5", last=at(minutes=30)), at(30, 30), None),
        (cron_job(_OFFICE, last=at(minutes=30)), at(96, 31), at(96, 30)),
        (cron_job(_OFFICE), at(24, 31), at(24, 30)),
        (cron_job("@every 1h", created=at(minutes=-59), last=at(minutes=1)), at(7 * 24), at(6 * 24 + 23, 1)),
        (cron_job("*/5 * * * *", last=at(minutes=30)), at(minutes=31), None),
    ],
)
def test_a_cron_job_was_last_due_at_the_latest_time_of_its_schedule(
    tested: CronJob, now: datetime, latest: datetime | None
) -> None:
    assert due_time(tested, now, parse_schedule(tested.spec.schedule)).latest == latest


def test_times_before_the_starting_deadline_do_not_count() -> None:
    late = cron_job("*/5 * * * *", last=at(minutes=30))
    late.spec.startingDeadlineSeconds = 60
    found = due_time(late, at(minutes=32), parse_schedule(late.spec.schedule))
    assert (found.since, found.latest) == (at(minutes=31), None)


@pytest.mark.parametrize(("hours", "is_many"), [(100, False), (102, True)])
def test_more_than_a_hundred_missed_runs_are_many(hours: int, is_many: bool) -> None:
    tested = cron_job("0 * * * *")
    assert due_time(tested, at(hours, 1), parse_schedule(tested.spec.schedule)).has_missed_many == is_many


@pytest.mark.parametrize("schedule", ["59 23 31 2 *", ", * * * *"])
def test_a_schedule_that_is_never_due_is_an_error(schedule: str) -> None:
    with pytest.raises(ValueError, match="time difference between two schedules is less than 1 second"):
        due_time(cron_job(schedule), at(1), parse_schedule(schedule))


@pytest.mark.parametrize(
    ("tested", "now", "wait"),
    [
        (cron_job(_OFFICE, last=at(minutes=30)), at(24, 31), timedelta(hours=3, minutes=59)),
        (cron_job("30 10,11,12 * * 1-5", last=at(minutes=30)), at(30, 30), timedelta(hours=66)),
        (cron_job("0 12 * * 4", last=at(2)), at(19 * 24 + 1, 30), timedelta(hours=48, minutes=30)),
        (cron_job("0 12 * * 5"), at(6), timedelta(hours=20)),
    ],
)
def test_a_cron_job_waits_for_the_next_time_of_its_schedule(tested: CronJob, now: datetime, wait: timedelta) -> None:
    assert seconds_to_next(tested, now, parse_schedule(tested.spec.schedule)) == wait.total_seconds() + 0.1


def test_a_run_in_the_last_year_of_the_calendar_is_not_due() -> None:
    tested = cron_job("0 0 1 1 *", last=datetime(9999, 6, 1, tzinfo=UTC))
    assert due_time(tested, at(), parse_schedule(tested.spec.schedule)).latest is None
    assert seconds_to_next(tested, at(), parse_schedule(tested.spec.schedule)) > timedelta(days=36_000).total_seconds()


@pytest.mark.parametrize(
    ("seconds", "duration"), [(10, timedelta(seconds=10)), (2**63 - 1, timedelta(seconds=-1)), (2**62, timedelta())]
)
def test_long_deadlines_overflow_as_in_go(seconds: int, duration: timedelta) -> None:
    assert go_seconds(seconds) == duration
