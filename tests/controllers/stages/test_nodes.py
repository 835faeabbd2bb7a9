from typing import Any

import pytest

from memkube.controllers.nodes.leases import LEASE_NAMESPACE
from tests.controllers.cluster import Cluster, instant
from tests.controllers.stages.stages import among, node, node_ready, playing, stage

pytestmark = pytest.mark.anyio

HEARTBEAT = """
conditions:
- lastHeartbeatTime: {{ Now | Quote }}
  lastTransitionTime: {{ .metadata.creationTimestamp | Quote }}
  message: alive
  reason: Alive
  status: "True"
  type: Ready
"""


async def ready(cluster: Cluster, name: str) -> dict[str, Any]:
    document = await cluster.get("nodes", name, "")
    assert document is not None
    return next(each for each in document["status"]["conditions"] if each["type"] == "Ready")


async def test_a_node_that_a_user_creates_becomes_ready() -> None:
    async with playing(node_ready(), controllers="stages") as cluster:
        await cluster.create(node("n1"))
        document = await cluster.get("nodes", "n1", "")
        assert document is not None
        assert document["status"]["allocatable"] == {"cpu": "1k", "memory": "1Ti", "pods": "1M"}
        assert [each["address"] for each in document["status"]["addresses"]] == ["172.16.255.254", "n1"]
        assert (await ready(cluster, "n1"))["reason"] == "KubeletReady"


async def test_the_lease_of_a_played_node_is_renewed_so_that_the_node_stays_ready() -> None:
    async with playing(node_ready(), controllers="stages,node-lifecycle-controller") as cluster:
        await cluster.create(node("n1"))
        await cluster.clock.advance(600)
        lease = await cluster.get("leases", "n1", LEASE_NAMESPACE)
        assert lease is not None
        assert (cluster.clock.now() - instant(lease["spec"]["renewTime"])).total_seconds() <= 10
        assert (await ready(cluster, "n1"))["status"] == "True"


async def test_a_node_without_stages_has_no_lease() -> None:
    async with playing(controllers="stages") as cluster:
        await cluster.create(node("n1"))
        await cluster.clock.advance(60)
        assert await cluster.get("leases", "n1", LEASE_NAMESPACE) is None


async def test_a_heartbeat_repeats_after_its_delay() -> None:
    beat = stage(
        "beat",
        "Node",
        among(".status.phase", "Running"),
        delay={"durationMilliseconds": 20000},
        next={"statusTemplate": HEARTBEAT},
        immediateNextStage=True,
    )
    async with playing(node_ready(), beat, controllers="stages") as cluster:
        await cluster.create(node("n1"))
        begun, ages = cluster.clock.now(), []
        for _ in range(3):
            await cluster.clock.advance(20)
            ages.append((instant((await ready(cluster, "n1"))["lastHeartbeatTime"]) - begun).total_seconds())
        assert [round(age) for age in ages] == [20, 40, 60]


async def test_a_simulated_node_reports_no_status_while_stages_play_nodes() -> None:
    async with playing() as cluster:
        before = await cluster.get("nodes", "node-1", "")
        await cluster.create(stage("sleep", "Node", among(".status.phase", "Running")))
        await cluster.clock.advance(900)
        assert await cluster.get("nodes", "node-1", "") == before
        await cluster.delete("stages", "sleep", namespace="")
        await cluster.clock.advance(10)
        assert await cluster.get("nodes", "node-1", "") != before


async def test_a_failed_node_stays_unknown_until_its_machine_recovers() -> None:
    async with playing(node_ready(), controllers="stages,kubelet,node-lifecycle-controller") as cluster:
        assert cluster.manager.kubelet is not None
        cluster.manager.kubelet.nodes.fail("node-1")
        await cluster.clock.advance(120)
        assert (await ready(cluster, "node-1"))["status"] == "Unknown"
        cluster.manager.kubelet.nodes.recover("node-1")
        await cluster.settle()
        assert (await ready(cluster, "node-1"))["status"] == "True"
