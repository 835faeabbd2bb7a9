import pytest

from tests.controllers.cluster import running
from tests.controllers.job.jobs import CONTROLLER, conditions, counts, end, fail_next, job, pending, status
from tests.controllers.workloads import names, occurrences, reports

LIMIT = "BackoffLimitExceeded"

pytestmark = pytest.mark.anyio


async def test_the_wait_before_the_next_pod_doubles_with_each_failure() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job())
        for delay in (10, 20, 40):
            await fail_next(cluster)
            await cluster.clock.advance(delay - 2)
            assert await pending(cluster) == []
            await cluster.clock.advance(3)
            assert len(await pending(cluster)) == 1


async def test_a_success_ends_the_waiting() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(completions=3, parallelism=2))
        await fail_next(cluster)
        assert len(await pending(cluster)) == 1
        await cluster.clock.advance(2)
        await end(cluster, (await pending(cluster))[0])
        assert len(await pending(cluster)) == 2


async def test_a_job_fails_after_too_many_failures() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(backoffLimit=1, parallelism=2, completions=2))
        await fail_next(cluster)
        assert await conditions(cluster) == []
        await fail_next(cluster)
        assert await conditions(cluster) == [("FailureTarget", LIMIT), ("Failed", LIMIT)]
        assert await reports(cluster, LIMIT) == ["Job has reached the specified backoff limit"]
        assert "completionTime" not in await status(cluster)


async def test_pods_that_still_run_go_with_a_failed_job_and_count_as_failed() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(backoffLimit=0, parallelism=3, completions=3))
        await fail_next(cluster)
        assert len(await names(cluster)) == 1
        assert await counts(cluster) == (0, 0, 3)


async def test_a_job_waits_for_its_last_pod_before_it_has_failed() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(backoffLimit=0, parallelism=2, completions=2))
        first, second = await pending(cluster)
        held = [*second.document["metadata"]["finalizers"], "example.com/hold"]
        await cluster.change("pods", second.name, metadata={"finalizers": held})
        await end(cluster, first, "Failed")
        assert await conditions(cluster) == [("FailureTarget", LIMIT)]
        assert (await status(cluster))["terminating"] == 1
        await cluster.change("pods", second.name, metadata={"finalizers": []})
        assert ("Failed", LIMIT) in await conditions(cluster)


async def test_restarts_count_where_containers_are_restarted() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job("OnFailure", backoffLimit=2))
        (pod,) = await pending(cluster)
        container = {"name": "app", "image": "nginx", "imageID": "", "ready": False, "restartCount": 2}
        await cluster.change(
            "pods", pod.name, subresource="status", status={"phase": "Running", "containerStatuses": [container]}
        )
        assert await conditions(cluster) == [("FailureTarget", LIMIT), ("Failed", LIMIT)]


async def test_a_deadline_ends_a_job() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(activeDeadlineSeconds=30))
        await cluster.clock.advance(28)
        assert await conditions(cluster) == []
        await cluster.clock.advance(2)
        assert ("Failed", "DeadlineExceeded") in await conditions(cluster)
        assert await names(cluster) == []


async def test_a_deleted_pod_counts_as_failed() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job())
        await cluster.delete("pods", (await names(cluster))[0])
        await cluster.clock.advance(11)
        assert await counts(cluster) == (1, 0, 1)


async def test_refused_pods_are_created_again_after_delays_that_double() -> None:
    async with running(CONTROLLER) as cluster:
        document = job()
        document["spec"]["template"]["spec"]["priorityClassName"] = "missing"
        await cluster.create(document)
        for delay in (1, 2, 4):
            attempts = await occurrences(cluster, "FailedCreate")
            await cluster.clock.advance(delay - 0.25)
            assert await occurrences(cluster, "FailedCreate") == attempts
            await cluster.clock.advance(0.25)
            assert await occurrences(cluster, "FailedCreate") == attempts + 1
