import pytest

from tests.controllers.cluster import pod, running
from tests.controllers.workloads import listed, make_ready, names, reports, status, workload

CONTROLLER = "statefulset"

pytestmark = pytest.mark.anyio


async def test_a_pod_is_made_once_the_one_before_it_is_ready() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(workload("StatefulSet", 2))
        assert await names(cluster) == ["web-0"]
        await make_ready(cluster, "web-0")
        assert await names(cluster) == ["web-0", "web-1"]
        created = [f"Create Pod web-{n} in StatefulSet web successful" for n in range(2)]
        assert sorted(await reports(cluster, "SuccessfulCreate")) == created


async def test_parallel_pods_wait_for_nobody() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(workload("StatefulSet", 5, podManagementPolicy="Parallel"))
        assert len(await names(cluster)) == 5
        parallel = workload("StatefulSet", 2, podManagementPolicy="Parallel")["spec"]
        await cluster.change("statefulsets", "web", spec=parallel)
        assert await names(cluster) == ["web-0", "web-1"]


async def test_a_pod_must_have_been_ready_for_long_enough() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(workload("StatefulSet", 2, minReadySeconds=10))
        await make_ready(cluster, "web-0")
        assert (await status(cluster, "statefulsets"))["availableReplicas"] == 0
        await cluster.clock.advance(9)
        assert await names(cluster) == ["web-0"]
        await cluster.clock.advance(1)
        assert await names(cluster) == ["web-0", "web-1"]


async def test_pods_go_in_order_and_only_while_the_others_serve() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(workload("StatefulSet", 3))
        for name in ("web-0", "web-1", "web-2"):
            await make_ready(cluster, name)
        await cluster.change("pods", "web-0", subresource="status", status={"phase": "Running"})
        await cluster.change("statefulsets", "web", spec=workload("StatefulSet", 1)["spec"])
        assert len(await names(cluster)) == 3
        await cluster.change("pods", "web-2", metadata={"finalizers": ["example.com/hold"]})
        await make_ready(cluster, "web-0")
        leaving = [each.name for each in await listed(cluster) if "deletionTimestamp" in each.document["metadata"]]
        assert leaving == ["web-2"]
        await cluster.change("pods", "web-2", metadata={"finalizers": []})
        assert await names(cluster) == ["web-0"]


@pytest.mark.parametrize("phase", ["Failed", "Succeeded"])
async def test_a_pod_that_ended_is_made_anew(phase: str) -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(workload("StatefulSet", 1))
        (old,) = await listed(cluster)
        await cluster.change("pods", "web-0", subresource="status", status={"phase": phase})
        (new,) = await listed(cluster)
        assert new.name == "web-0"
        assert new.uid != old.uid
        assert await reports(cluster, "SuccessfulDelete") == ["Delete Pod web-0 in StatefulSet web successful"]


async def test_pods_are_numbered_from_where_the_user_says() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(workload("StatefulSet", 2, ordinals={"start": 5}, podManagementPolicy="Parallel"))
        assert await names(cluster) == ["web-5", "web-6"]


async def test_a_name_that_is_taken_is_waited_for() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(pod("web-0", labels={"app": "other"}))
        await cluster.create(workload("StatefulSet", 1))
        assert (await status(cluster, "statefulsets"))["replicas"] == 0
        assert await reports(cluster, "FailedCreate") == []
        await cluster.delete("pods", "web-0")
        await cluster.clock.advance(60)
        assert (await status(cluster, "statefulsets"))["replicas"] == 1
