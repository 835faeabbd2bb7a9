"""Jobs whose pods run on simulated nodes."""

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import CONTAINERS, Cluster, running
from tests.controllers.job.jobs import conditions, counts, indexed, job, status

CONTROLLERS = ("job", "scheduler", "kubelet", "node-lifecycle")

pytestmark = pytest.mark.anyio


async def run(cluster: Cluster, document: Document, script: str) -> None:
    """Create a Job whose containers run a script."""
    template = document["spec"]["template"]
    template["spec"] = {**template["spec"], "containers": [{**CONTAINERS[0], "command": ["sh", "-c", script]}]}
    await cluster.create(document)


async def test_a_job_is_complete_when_its_containers_have_ended() -> None:
    async with running(*CONTROLLERS) as cluster:
        await run(cluster, job(completions=4, parallelism=2), "sleep 30")
        await cluster.clock.advance(20)
        assert (await status(cluster))["ready"] == 2
        await cluster.clock.advance(60)
        assert await counts(cluster) == (0, 4, 0)
        assert ("Complete", "CompletionsReached") in await conditions(cluster)


async def test_containers_know_their_index() -> None:
    async with running(*CONTROLLERS) as cluster:
        await run(cluster, indexed(3, backoffLimitPerIndex=0), "exit $JOB_COMPLETION_INDEX")
        await cluster.clock.advance(60)
        found = await status(cluster)
        assert (found["completedIndexes"], found["failedIndexes"]) == ("0", "1,2")


async def test_restarted_containers_lead_to_a_failed_job() -> None:
    async with running(*CONTROLLERS) as cluster:
        await run(cluster, job("OnFailure", backoffLimit=2), "exit 1")
        await cluster.clock.advance(120)
        assert ("Failed", "BackoffLimitExceeded") in await conditions(cluster)


async def test_a_pod_that_fails_is_replaced_until_the_limit_is_reached() -> None:
    async with running(*CONTROLLERS) as cluster:
        await run(cluster, job(backoffLimit=2), "exit 1")
        await cluster.clock.advance(20)
        assert (await counts(cluster))[2] == 2
        await cluster.clock.advance(30)
        assert await counts(cluster) == (0, 0, 3)
        assert ("Failed", "BackoffLimitExceeded") in await conditions(cluster)
