"""Decides for which scheduled time a CronJob must start a Job, and when to check again (``utils.go``)."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from memkube.apis.batch.v1.cronjobs.schedules import Schedule
from memkube.apis.batch.v1.cronjobs.types import CronJob

_NEVER: Final = datetime.min.replace(tzinfo=UTC)
"""Next due time of a schedule that has no due time, such as 31 February. It is Go's zero time."""
_END: Final = datetime.max.replace(tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)
_MARGIN: Final = timedelta(milliseconds=100)
"""Time after a due time at which a CronJob is reconciled: the clocks of API server and controller may differ."""
_LONGEST_WAIT: Final = timedelta(days=36_500)
_MANY: Final = 100
_INT64: Final = 2**63


@dataclass(frozen=True, slots=True)
class DueTime:
    """The last scheduled time of a CronJob that has passed, and the number of runs that the CronJob has missed."""

    since: datetime
    """Time from which missed runs are counted: the last run, the CronJob's creation, or the start of the deadline."""
    latest: datetime | None
    """The last scheduled time that has passed; None if none has passed or it cannot be determined."""
    missed: int
    """Estimated number of missed runs; 0 if at most one scheduled time has passed."""

    @property
    def has_missed_many(self) -> bool:
        """True if more than 100 runs were missed, which a warning Event reports."""
        return self.missed > _MANY


def due_time(cron_job: CronJob, now: datetime, schedule: Schedule, *, within_deadline: bool = True) -> DueTime:
    """Return the last scheduled time of a CronJob that has passed, and how many runs were missed.

    If `within_deadline` is True, times before the starting deadline are ignored. Raises ValueError if the schedule has
    no due times. Source: ``mostRecentScheduleTime``.
    """
    since = _since(cron_job, now, within_deadline=within_deadline)
    first = _next(schedule, since)
    second = _next(schedule, first)
    if now < first:
        return DueTime(since, None, 0)
    if now < second:
        return DueTime(since, first, 0)
    interval = (second - first) // _SECOND
    if interval < 1:
        raise ValueError("time difference between two schedules is less than 1 second")
    missed = (now - first) // _SECOND // interval + 1
    # The number of missed runs is only an estimate from the first interval of the schedule. So begin the search for the
    # last due time one interval before the estimated due time.
    latest, due = None, _next(schedule, first + timedelta(seconds=(missed - 2) * interval))
    while _NEVER < due <= now:
        latest, due = due, _next(schedule, due)
    return DueTime(since, latest, missed)


def seconds_to_next(cron_job: CronJob, now: datetime, schedule: Schedule) -> float:
    """Return the number of seconds until the next scheduled time of a CronJob (``nextScheduleTimeDuration``)."""
    start = now
    try:
        last = due_time(cron_job, now, schedule, within_deadline=False)
    except ValueError:
        pass
    else:
        start = last.latest or (now if last.missed else last.since)
    return min(_next(schedule, start) - now, _LONGEST_WAIT).total_seconds() + _MARGIN.total_seconds()


def go_seconds(seconds: int) -> timedelta:
    """Convert a number of seconds as Go converts it to a Duration: the 64-bit number of nanoseconds may overflow."""
    nanoseconds = (seconds * 10**9 + _INT64) % (2 * _INT64) - _INT64
    return timedelta(microseconds=nanoseconds // 1000)


def _since(cron_job: CronJob, now: datetime, *, within_deadline: bool) -> datetime:
    created = cron_job.metadata.creationTimestamp
    assert created is not None
    last, deadline = cron_job.status.lastScheduleTime, cron_job.spec.startingDeadlineSeconds
    since = (last or created).instant
    return max(since, now - go_seconds(deadline)) if within_deadline and deadline is not None else since


def _next(schedule: Schedule, instant: datetime) -> datetime:
    if instant in (_NEVER, _END):
        return instant
    try:
        return schedule.after(instant) or _NEVER
    except OverflowError:
        return _END
