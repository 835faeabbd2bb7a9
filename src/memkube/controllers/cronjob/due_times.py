"""Decides for which scheduled time a CronJob must start a Job, and when to check again (``utils.go``)."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from memkube.apis.batch.v1.cronjobs.schedules import Schedule
from memkube.apis.batch.v1.cronjobs.types import CronJob

_NEVER: Final = datetime.min.replace(tzinfo=UTC)
"""Due time of a schedule that is never due; Go's zero time."""
_END: Final = datetime.max.replace(tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)
_MARGIN: Final = timedelta(milliseconds=100)
"""Time to wait after a due time, because clocks may differ."""
_LONGEST_WAIT: Final = timedelta(days=36_500)
_MANY: Final = 100
_INT64: Final = 2**63


@dataclass(frozen=True, slots=True)
class DueTime:
    """The latest scheduled time of a CronJob that is not in the future, and the number of runs missed before it."""

    since: datetime
    """The time after which missed runs count: that of the last run, the creation, or the starting deadline."""
    latest: datetime | None
    """The last due time that is not in the future; None if it cannot be determined or none has passed."""
    missed: int
    """Estimated number of missed runs, if more than one due time has passed."""

    @property
    def has_missed_many(self) -> bool:
        """True if so many runs were missed that users should be warned."""
        return self.missed > _MANY


def due_time(cron_job: CronJob, now: datetime, schedule: Schedule, *, within_deadline: bool = True) -> DueTime:
    """Return the last due time of a CronJob that is not in the future (``mostRecentScheduleTime``).

    `within_deadline` ignores times before the starting deadline. Raises ValueError if the schedule is never due.
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
    # The number of missed runs is estimated from the first interval. The search for the last due time starts one
    # interval before it.
    latest, due = None, _next(schedule, first + timedelta(seconds=(missed - 2) * interval))
    while _NEVER < due <= now:
        latest, due = due, _next(schedule, due)
    return DueTime(since, latest, missed)


def seconds_to_next(cron_job: CronJob, now: datetime, schedule: Schedule) -> float:
    """Return the seconds until a CronJob is due again (``nextScheduleTimeDuration``)."""
    start = now
    try:
        last = due_time(cron_job, now, schedule, within_deadline=False)
    except ValueError:
        pass
    else:
        start = last.latest or (now if last.missed else last.since)
    return min(_next(schedule, start) - now, _LONGEST_WAIT).total_seconds() + _MARGIN.total_seconds()


def go_seconds(seconds: int) -> timedelta:
    """Return a number of seconds as a Go Duration, a 64-bit number of nanoseconds that overflows."""
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
