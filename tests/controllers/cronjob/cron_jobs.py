"""Helpers for CronJobs and their Jobs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from memkube.apimachinery.model import Document
from tests.controllers.cluster import CONTAINERS, Cluster, running
from tests.controllers.workloads import status as status_of

CONTROLLERS = ("cronjob-controller", "garbage-collector-controller")
TEMPLATE: Document = {"spec": {"template": {"spec": {"containers": CONTAINERS, "restartPolicy": "Never"}}}}


def cron_job(schedule: str = "*/5 * * * *", **spec: Any) -> Document:
    """Return a CronJob named tick."""
    spec = {"schedule": schedule, "jobTemplate": TEMPLATE, **spec}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "tick"}, "spec": spec}


@asynccontextmanager
async def on_the_hour(*controllers: str) -> AsyncIterator[Cluster]:
    """Run a cluster whose clock shows the beginning of an hour."""
    async with running(*(controllers or CONTROLLERS)) as cluster:
        now = cluster.clock.now()
        await cluster.clock.advance(3600 - now.minute * 60 - now.second)
        yield cluster


async def status(cluster: Cluster) -> dict[str, Any]:
    return await status_of(cluster, "cronjobs", "tick")


async def active(cluster: Cluster) -> list[str]:
    """Return the names of the Jobs that the status lists."""
    return [each["name"] for each in (await status(cluster)).get("active") or []]


async def change(cluster: Cluster, **spec: Any) -> None:
    """Change fields of the CronJob's spec."""
    stored = await cluster.get("cronjobs", "tick")
    assert stored is not None
    await cluster.change("cronjobs", "tick", spec={**stored["spec"], **spec})


async def finish(cluster: Cluster, job: str, condition: str = "Complete") -> None:
    """End a Job now, without its pods."""
    now = written(cluster.clock.now())
    time = {"startTime": now, **({"completionTime": now} if condition == "Complete" else {})}
    early = "SuccessCriteriaMet" if condition == "Complete" else "FailureTarget"
    conditions = [{"type": each, "status": "True", "lastTransitionTime": now} for each in (early, condition)]
    await cluster.change("jobs", job, subresource="status", status={**time, "conditions": conditions})


def name_at(instant: datetime) -> str:
    """Return the name of the Job for a time."""
    return f"tick-{int(instant.timestamp()) // 60}"


def written(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")
