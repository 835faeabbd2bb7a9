"""StatefulSets whose pods run on simulated nodes."""

import pytest

from tests.controllers.cluster import running
from tests.controllers.workloads import names, status, workload

pytestmark = pytest.mark.anyio


async def test_a_set_comes_up_by_itself_where_pods_run() -> None:
    async with running("statefulset", "scheduler", "kubelet", "node-lifecycle") as cluster:
        await cluster.create(workload("StatefulSet", 3))
        await cluster.clock.advance(60)
        assert await names(cluster) == ["web-0", "web-1", "web-2"]
        assert (await status(cluster, "statefulsets"))["availableReplicas"] == 3
