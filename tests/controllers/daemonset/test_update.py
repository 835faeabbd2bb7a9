import pytest

from tests.controllers.cluster import running
from tests.controllers.daemonset.daemon_sets import (
    CONTROLLER,
    add_nodes,
    daemon_set,
    pod_on,
    rolling,
    serve,
    taint,
    update,
    versions,
)
from tests.controllers.workloads import make_ready, status

pytestmark = pytest.mark.anyio


async def test_nodes_are_updated_one_by_one() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 2)
        await update(cluster)
        assert await versions(cluster) == [("n1", "2"), ("n2", "1")]
        await make_ready(cluster, await pod_on(cluster, "n1", "2"))
        assert await versions(cluster) == [("n1", "2"), ("n2", "2")]
        assert (await status(cluster, "daemonsets"))["updatedNumberScheduled"] == 2


@pytest.mark.parametrize(("unavailable", "updated"), [(1, 1), (2, 2), ("50%", 2), ("51%", 3), ("100%", 4)])
async def test_percentages_of_unavailable_nodes_are_rounded_up(unavailable: int | str, updated: int) -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 4)
        await update(cluster, updateStrategy=rolling(unavailable))
        assert [version for _, version in await versions(cluster)].count("2") == updated


async def test_pods_that_are_not_available_are_replaced_first_and_count_as_unavailable() -> None:
    async with running(CONTROLLER) as cluster:
        await add_nodes(cluster, 3)
        await cluster.create(daemon_set())
        await make_ready(cluster, *[await pod_on(cluster, node) for node in ("n1", "n3")])
        await update(cluster)
        assert await versions(cluster) == [("n1", "1"), ("n2", "2"), ("n3", "1")]


async def test_an_update_waits_for_min_ready_seconds() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 2, minReadySeconds=10)
        await cluster.clock.advance(10)
        await update(cluster, minReadySeconds=10)
        await make_ready(cluster, await pod_on(cluster, "n1", "2"))
        await cluster.clock.advance(9)
        assert await versions(cluster) == [("n1", "2"), ("n2", "1")]
        await cluster.clock.advance(1)
        assert await versions(cluster) == [("n1", "2"), ("n2", "2")]


async def test_on_delete_waits_for_the_deletion_of_pods() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 2)
        await update(cluster, updateStrategy={"type": "OnDelete"})
        assert await versions(cluster) == [("n1", "1"), ("n2", "1")]
        await cluster.delete("pods", await pod_on(cluster, "n2"))
        assert await versions(cluster) == [("n1", "1"), ("n2", "2")]


async def test_a_surging_pod_replaces_the_old_one_when_it_is_available() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 2)
        await update(cluster, updateStrategy=rolling(0, 1))
        assert await versions(cluster) == [("n1", "1"), ("n1", "2"), ("n2", "1")]
        assert (await status(cluster, "daemonsets"))["numberAvailable"] == 2
        await make_ready(cluster, await pod_on(cluster, "n1", "2"))
        assert await versions(cluster) == [("n1", "2"), ("n2", "1"), ("n2", "2")]


async def test_an_old_pod_that_is_not_ready_is_replaced_beyond_the_limit_of_surging_pods() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 3)
        for node in ("n2", "n3"):
            name = await pod_on(cluster, node)
            await cluster.change("pods", name, subresource="status", status={"phase": "Running"})
        await update(cluster, updateStrategy=rolling(0, 1))
        assert await versions(cluster) == [("n1", "1"), ("n1", "2"), ("n2", "2"), ("n3", "2")]


async def test_a_surging_update_keeps_a_misplaced_pod_until_enough_others_are_available() -> None:
    async with running(CONTROLLER) as cluster:
        await add_nodes(cluster, 2)
        await cluster.create(daemon_set())
        await make_ready(cluster, await pod_on(cluster, "n1"))
        await cluster.change("nodes", "n1", "", spec={"taints": [taint("NoSchedule")]})
        await update(cluster, updateStrategy=rolling(0, 1))
        assert await versions(cluster) == [("n1", "1"), ("n2", "2")]
        await make_ready(cluster, await pod_on(cluster, "n2", "2"))
        assert await versions(cluster) == [("n2", "2")]
