import pytest

from tests.controllers.cluster import READY, owned_by, running
from tests.controllers.job.jobs import CONTROLLER, change, conditions, counts, end, job, pending, status
from tests.controllers.workloads import listed, names, reports

FINALIZER = "batch.kubernetes.io/job-tracking"
REACHED = "CompletionsReached"

pytestmark = pytest.mark.anyio


async def test_as_many_pods_run_as_may_at_once() -> None:
    async with running(CONTROLLER) as cluster:
        owner = await cluster.create(job(completions=5, parallelism=2))
        pods = await listed(cluster)
        assert await counts(cluster) == (2, 0, 0)
        assert [pod.document["metadata"]["finalizers"] for pod in pods] == [[FINALIZER]] * 2
        assert pods[0].document["metadata"]["ownerReferences"] == [
            owned_by(owner, controller=True, blockOwnerDeletion=True)
        ]
        assert sorted(await reports(cluster, "SuccessfulCreate")) == [f"Created pod: {pod.name}" for pod in pods]


async def test_a_job_is_complete_when_enough_pods_have_succeeded() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(completions=2))
        await end(cluster, (await pending(cluster))[0])
        assert await counts(cluster) == (1, 1, 0)
        await end(cluster, (await pending(cluster))[0])
        assert await counts(cluster) == (0, 2, 0)
        assert await conditions(cluster) == [("SuccessCriteriaMet", REACHED), ("Complete", REACHED)]
        assert (await status(cluster))["completionTime"]
        assert await reports(cluster, "Completed") == ["Job completed"]


async def test_a_counted_pod_is_let_go() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job())
        await end(cluster, (await pending(cluster))[0])
        (pod,) = await listed(cluster)
        assert "finalizers" not in pod.document["metadata"]
        assert (await status(cluster))["uncountedTerminatedPods"] == {}


async def test_a_pod_that_is_deleted_after_its_end_counts_once() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(completions=2))
        (pod,) = await pending(cluster)
        await end(cluster, pod)
        await cluster.delete("pods", pod.name)
        assert await counts(cluster) == (1, 1, 0)


async def test_without_a_number_one_success_is_enough_once_no_pod_is_left() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(parallelism=2))
        first, second = await pending(cluster)
        await end(cluster, first)
        assert await counts(cluster) == (1, 1, 0)
        await end(cluster, second)
        assert ("Complete", REACHED) in await conditions(cluster)


async def test_ready_pods_are_counted() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(completions=2, parallelism=2))
        pod = (await pending(cluster))[0]
        await cluster.change("pods", pod.name, subresource="status", status=READY)
        assert (await status(cluster))["ready"] == 1


async def test_fewer_at_once_means_that_pods_go() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(completions=5, parallelism=3))
        await change(cluster, parallelism=1)
        assert len(await names(cluster)) == 1
        assert await counts(cluster) == (1, 0, 0)


async def test_a_suspended_job_has_no_pods_until_it_is_resumed() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(completions=2, parallelism=2))
        await change(cluster, suspend=True)
        assert await names(cluster) == []
        assert await conditions(cluster) == [("Suspended", "JobSuspended")]
        assert "startTime" not in await status(cluster)
        await change(cluster, suspend=False)
        assert len(await names(cluster)) == 2
        assert await conditions(cluster) == []
        assert (await reports(cluster, "Suspended"), await reports(cluster, "Resumed")) == (
            ["Job suspended"],
            ["Job resumed"],
        )


async def test_a_job_that_another_controller_runs_is_left_alone() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(managedBy="example.com/jobs"))
        assert await names(cluster) == []


async def test_pods_of_a_deleted_job_are_let_go() -> None:
    async with running(CONTROLLER, "garbage-collector") as cluster:
        await cluster.create(job(parallelism=2))
        await cluster.delete("jobs", "work", "Background")
        assert await names(cluster) == []


async def test_a_finished_job_is_deleted_when_its_time_has_come() -> None:
    async with running(CONTROLLER, "ttl-after-finished", "garbage-collector") as cluster:
        await cluster.create(job(ttlSecondsAfterFinished=100))
        await end(cluster, (await pending(cluster))[0])
        await cluster.clock.advance(98)
        assert await cluster.get("jobs", "work") is not None
        await cluster.clock.advance(2)
        assert await cluster.get("jobs", "work") is None
        assert await names(cluster) == []


async def test_the_ended_pods_of_a_large_job_are_counted_together() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(completions=100, parallelism=100))
        await cluster.clock.advance(1)
        for pod in (await pending(cluster))[:2]:
            await end(cluster, pod)
        assert await counts(cluster) == (100, 0, 0)
        await cluster.clock.advance(1)
        assert await counts(cluster) == (98, 2, 0)
