"""A CronJob's handling of its existing Jobs: adoption, history limits and concurrency policies."""

from datetime import timedelta
from typing import Any

import pytest

from tests.controllers.cluster import Cluster, owned_by
from tests.controllers.cronjob.cron_jobs import (
    TEMPLATE,
    active,
    change,
    cron_job,
    finish,
    name_at,
    on_the_hour,
    status,
    written,
)
from tests.controllers.workloads import names, reports

pytestmark = pytest.mark.anyio
MINUTE = timedelta(minutes=1)


async def create_job(cluster: Cluster, name: str, **reference: Any) -> None:
    """Create a Job whose controller is the CronJob."""
    owner = await cluster.store("cronjobs").get("default", "tick")
    metadata = {"name": name, "ownerReferences": [owned_by(owner, controller=True, **reference)]}
    await cluster.create({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, **TEMPLATE})


@pytest.mark.parametrize(("condition", "is_success"), [("Complete", True), ("Failed", False)])
async def test_a_finished_job_is_no_longer_active(condition: str, is_success: bool) -> None:
    async with on_the_hour() as cluster:
        due = cluster.clock.now() + 5 * MINUTE
        await cluster.create(cron_job())
        await cluster.clock.advance(360)
        await finish(cluster, name_at(due), condition)
        assert await active(cluster) == []
        successful = (await status(cluster)).get("lastSuccessfulTime")
        assert successful == (written(due + MINUTE) if is_success else None)
        message = f"Saw completed job: {name_at(due)}, condition: {condition}"
        assert await reports(cluster, "SawCompletedJob") == [message]


async def test_a_job_that_is_gone_is_no_longer_active() -> None:
    async with on_the_hour() as cluster:
        due = cluster.clock.now() + 5 * MINUTE
        await cluster.create(cron_job())
        await cluster.clock.advance(310)
        await cluster.delete("jobs", name_at(due), "Background")
        assert await active(cluster) == []
        assert await reports(cluster, "MissingJob") == [f"Active job went missing: {name_at(due)}"]


async def test_a_job_of_another_creator_is_reported_and_not_active() -> None:
    async with on_the_hour() as cluster:
        await cluster.create(cron_job())
        await create_job(cluster, "strange")
        assert await active(cluster) == []
        message = "Saw a job that the controller did not create or forgot: strange"
        assert await reports(cluster, "UnexpectedJob") == [message]


async def test_a_job_of_the_due_name_becomes_active_if_the_cron_job_owns_it() -> None:
    async with on_the_hour() as cluster:
        due = cluster.clock.now() + 5 * MINUTE
        await cluster.create(cron_job())
        await create_job(cluster, name_at(due))
        await cluster.clock.advance(301)
        assert await active(cluster) == [name_at(due)]
        assert await reports(cluster, "SuccessfulCreate") == []


async def test_a_foreign_job_of_the_due_name_is_left_alone() -> None:
    async with on_the_hour() as cluster:
        due = cluster.clock.now() + 5 * MINUTE
        await cluster.create(cron_job())
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name_at(due)}, **TEMPLATE}
        await cluster.create(job)
        await cluster.clock.advance(400)
        assert (await status(cluster)).get("lastScheduleTime") is None
        assert await active(cluster) == []


@pytest.mark.parametrize(("condition", "kept"), [("Complete", 3), ("Failed", 1)])
async def test_the_oldest_finished_jobs_are_deleted(condition: str, kept: int) -> None:
    async with on_the_hour() as cluster:
        due = cluster.clock.now()
        await cluster.create(cron_job(concurrencyPolicy="Forbid"))
        for number in range(1, 6):
            await cluster.clock.advance(301)
            await finish(cluster, name_at(due + number * 5 * MINUTE), condition)
        left = [name_at(due + number * 5 * MINUTE) for number in range(6 - kept, 6)]
        assert await names(cluster, "jobs") == left
        assert await reports(cluster, "FailedDelete") == []


async def test_all_finished_jobs_stay_without_a_limit_and_none_with_zero() -> None:
    async with on_the_hour() as cluster:
        due = cluster.clock.now() + 5 * MINUTE
        await cluster.create(cron_job(successfulJobsHistoryLimit=5))
        await cluster.clock.advance(301)
        await finish(cluster, name_at(due))
        assert await names(cluster, "jobs") == [name_at(due)]
        await change(cluster, successfulJobsHistoryLimit=0)
        assert await names(cluster, "jobs") == []
        assert (await status(cluster))["lastSuccessfulTime"] is not None


async def test_a_deleted_cron_job_takes_its_jobs_along() -> None:
    async with on_the_hour() as cluster:
        await cluster.create(cron_job())
        await cluster.clock.advance(301)
        await cluster.delete("cronjobs", "tick")
        await cluster.clock.advance(1)
        assert await names(cluster, "jobs") == []
