from datetime import timedelta

import pytest

from tests.controllers.cluster import instant
from tests.controllers.cronjob.cron_jobs import active, change, cron_job, finish, name_at, on_the_hour, status, written
from tests.controllers.workloads import names, reports

pytestmark = pytest.mark.anyio
MINUTE = timedelta(minutes=1)


async def test_a_job_is_created_a_moment_after_its_time() -> None:
    async with on_the_hour() as cluster:
        hour = cluster.clock.now()
        await cluster.create(cron_job())
        await cluster.clock.advance(300)
        assert await names(cluster, "jobs") == []
        await cluster.clock.advance(1)
        assert await names(cluster, "jobs") == [name_at(hour + 5 * MINUTE)] == await active(cluster)
        assert await reports(cluster, "SuccessfulCreate") != []
        assert (await status(cluster))["lastScheduleTime"] == written(hour + 5 * MINUTE)


async def test_a_job_has_the_metadata_of_the_template_and_the_time_in_the_zone() -> None:
    async with on_the_hour() as cluster:
        due = cluster.clock.now() + 5 * MINUTE
        document = cron_job(timeZone="Asia/Tokyo")
        template = {**document["spec"]["jobTemplate"], "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}}}
        document["spec"]["jobTemplate"] = template
        await cluster.create(document)
        await cluster.clock.advance(301)
        found = await cluster.get("jobs", name_at(due))
        assert found is not None
        annotations = found["metadata"]["annotations"]
        scheduled = annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"]
        assert (found["metadata"]["labels"], annotations["c"]) == ({"a": "b"}, "d")
        assert scheduled.endswith("+09:00")
        assert instant(scheduled) == due


async def test_a_suspended_cron_job_makes_up_for_the_last_time_only() -> None:
    async with on_the_hour() as cluster:
        hour = cluster.clock.now()
        await cluster.create(cron_job(suspend=True))
        await cluster.clock.advance(3600)
        assert await names(cluster, "jobs") == []
        await change(cluster, suspend=False)
        assert await names(cluster, "jobs") == [name_at(hour + 60 * MINUTE)]


async def test_a_time_before_the_starting_deadline_is_missed() -> None:
    async with on_the_hour() as cluster:
        due = cluster.clock.now() + 5 * MINUTE
        await cluster.create(cron_job(suspend=True, startingDeadlineSeconds=60))
        await cluster.clock.advance(361)
        await change(cluster, suspend=False)
        assert await names(cluster, "jobs") == []
        assert await reports(cluster, "MissSchedule") == []
        await cluster.clock.advance(240)
        assert await names(cluster, "jobs") == [name_at(due + 5 * MINUTE)]


async def test_many_missed_times_are_reported() -> None:
    async with on_the_hour() as cluster:
        await cluster.create(cron_job("* * * * *", suspend=True))
        await cluster.clock.advance(3 * 3600)
        await change(cluster, suspend=False)
        assert len(await names(cluster, "jobs")) == 1
        assert len(await reports(cluster, "TooManyMissedTimes")) == 1


async def test_allow_runs_jobs_side_by_side() -> None:
    async with on_the_hour() as cluster:
        await cluster.create(cron_job())
        await cluster.clock.advance(601)
        assert len(await active(cluster)) == 2


async def test_forbid_waits_for_the_end_of_the_running_job_and_makes_up_for_the_time() -> None:
    async with on_the_hour() as cluster:
        due = cluster.clock.now() + 5 * MINUTE
        await cluster.create(cron_job(concurrencyPolicy="Forbid"))
        await cluster.clock.advance(661)
        assert await active(cluster) == [name_at(due)]
        assert len(await reports(cluster, "JobAlreadyActive")) == 1
        await finish(cluster, name_at(due))
        assert await active(cluster) == [name_at(due + 5 * MINUTE)]


async def test_replace_deletes_the_running_job() -> None:
    async with on_the_hour() as cluster:
        due = cluster.clock.now() + 5 * MINUTE
        await cluster.create(cron_job(concurrencyPolicy="Replace"))
        await cluster.clock.advance(601)
        assert await active(cluster) == [name_at(due + 5 * MINUTE)] == await names(cluster, "jobs")
        assert await reports(cluster, "SuccessfulDelete") == [f"Deleted job {name_at(due)}"]


async def test_a_new_schedule_counts_from_the_last_run() -> None:
    async with on_the_hour() as cluster:
        hour = cluster.clock.now()
        await cluster.create(cron_job("0 0 1 1 *"))
        await cluster.clock.advance(90)
        await change(cluster, schedule="*/2 * * * *")
        await cluster.clock.advance(31)
        assert await names(cluster, "jobs") == [name_at(hour + 2 * MINUTE)]


async def test_a_schedule_that_is_never_due_is_reported() -> None:
    async with on_the_hour() as cluster:
        await cluster.create(cron_job("59 23 31 2 *"))
        message = "invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second"
        assert await reports(cluster, "InvalidSchedule") == [message]


async def test_a_job_that_cannot_be_created_is_reported_and_tried_again() -> None:
    async with on_the_hour() as cluster:
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"}}
        hard = {"count/jobs.batch": "0"}
        await cluster.create({**quota, "spec": {"hard": hard}, "status": {"hard": hard, "used": hard}})
        await cluster.create(cron_job())
        await cluster.clock.advance(310)
        assert await names(cluster, "jobs") == []
        assert (await reports(cluster, "FailedCreate"))[0].startswith("Error creating job: jobs.batch ")
        await cluster.delete("resourcequotas", "none")
        await cluster.clock.advance(60)
        assert len(await active(cluster)) == 1
