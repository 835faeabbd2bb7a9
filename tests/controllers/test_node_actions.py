"""Adding, removing, rebooting and partitioning simulated nodes."""

from typing import Any

import pytest

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.nodes.leases import LEASE_NAMESPACE
from memkube.controllers.nodes.pools import read_pools
from memkube.controllers.options import ControllerOptions
from memkube.registry.declarations.request_options import ListOptions, WriteContext
from tests.controllers.cluster import Cluster, running
from tests.controllers.nodes import bound, conditions, machines, messages, node, taints

pytestmark = pytest.mark.anyio
CONTROLLERS = ("kubelet", "node-lifecycle", "taint-eviction", "garbage-collector", "pod-gc")
POOLS = read_pools([{"name": "db", "count": 1, "zones": ["zone-a", "zone-b"]}])
ENDS_SOON = {"name": "app", "image": "busybox", "command": ["sleep", "30"]}


def on(to: str, *, policy: str = "Always", **container: Any) -> Document:
    """Return a pod that is bound to a node."""
    spec = {"nodeName": to, "restartPolicy": policy, "containers": [{**ENDS_SOON, **container}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec}


async def status(cluster: Cluster, name: str = "web") -> Document:
    pod = await cluster.get("pods", name)
    assert pod is not None
    found: Document = pod["status"]
    return found


async def first(cluster: Cluster) -> Document:
    """Return the status of the pod's only container."""
    (container,) = (await status(cluster))["containerStatuses"]
    found: Document = container
    return found


async def names(cluster: Cluster) -> list[str]:
    return [stored.name for stored in (await cluster.store("nodes").list("", ListOptions())).items]


async def test_an_added_node_gets_the_next_name_and_zone_of_its_pool() -> None:
    async with running(*CONTROLLERS, options=ControllerOptions(1, node_pools=POOLS)) as cluster:
        await machines(cluster).add("db", 2)
        await machines(cluster).add("")
        await cluster.settle()
        assert await names(cluster) == ["db-0", "db-1", "db-2", "node-1", "node-2"]
        zone = (await node(cluster, "db-1"))["metadata"]["labels"]["topology.kubernetes.io/zone"]
        assert (zone, conditions(await node(cluster, "node-2"))["Ready"]["status"]) == ("zone-b", "True")
        assert len({machine.host_ip for machine in machines(cluster)}) == 5


async def test_the_first_node_of_an_empty_cluster_sends_heartbeats() -> None:
    async with running(*CONTROLLERS, nodes=0) as cluster:
        await machines(cluster).add("")
        await cluster.settle()
        await cluster.clock.advance(120)
        assert conditions(await node(cluster))["Ready"]["status"] == "True"


async def test_the_name_of_a_removed_node_is_not_used_again() -> None:
    async with running(*CONTROLLERS, options=ControllerOptions(0, node_pools=POOLS)) as cluster:
        await machines(cluster).remove("db-0")
        (added,) = await machines(cluster).add("db")
        await cluster.settle()
        assert (added.name, await names(cluster)) == ("db-1", ["db-1"])


async def test_the_name_of_a_node_that_a_user_created_is_left_out() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-2"}})
        (added,) = await machines(cluster).add("")
        assert added.name == "node-3"


async def test_more_nodes_than_there_are_addresses_are_refused() -> None:
    async with running("kubelet") as cluster:
        with pytest.raises(ValueError, match="the number of nodes must be at most 3000"):
            await machines(cluster).add("", 3000)
        assert len(list(machines(cluster))) == 1


async def test_a_removed_node_is_gone_with_its_lease_and_after_a_while_with_its_pods() -> None:
    async with running(*CONTROLLERS, nodes=2) as cluster:
        await cluster.create(on("node-1"))
        await machines(cluster).remove("node-1")
        await cluster.settle()
        assert await names(cluster) == ["node-2"]
        assert await cluster.get("leases", "node-1", LEASE_NAMESPACE) is None
        await cluster.clock.advance(90)
        assert await cluster.get("pods", "web") is None


async def test_pods_of_a_removed_node_do_not_run_on() -> None:
    async with running("kubelet", nodes=2) as cluster:
        stored = await cluster.create(on("node-1"))
        await machines(cluster).remove("node-1")
        await cluster.clock.advance(60)
        assert (await first(cluster))["restartCount"] == 0
        assert cluster.manager.kubelet is not None
        assert cluster.manager.kubelet.simulated(Pod.from_document(stored.document)) is None


async def test_a_partitioned_node_is_tainted_and_its_pods_are_deleted_but_stay() -> None:
    async with running(*CONTROLLERS, nodes=2) as cluster:
        tolerant = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "tolerationSeconds": 60}
        await cluster.create(bound("web", tolerations=[{**tolerant, "operator": "Exists"}]))
        machines(cluster).partition("node-1")
        await cluster.clock.advance(60)
        assert conditions(await node(cluster))["Ready"]["status"] == "Unknown"
        assert await taints(cluster) == {"unreachable:NoSchedule", "unreachable:NoExecute"}
        await cluster.clock.advance(200)
        pod = await cluster.get("pods", "web")
        assert pod is not None
        assert pod["metadata"]["deletionTimestamp"]
        machines(cluster).heal("node-1")
        await cluster.clock.advance(60)
        assert await cluster.get("pods", "web") is None
        assert (await taints(cluster), await messages(cluster, "NodeReady")) == (
            set(),
            ["Node node-1 status is now: NodeReady"],
        )


async def test_containers_on_a_partitioned_node_run_on_and_are_reported_afterwards() -> None:
    async with running("kubelet") as cluster:
        await cluster.create(on("node-1"))
        before = await first(cluster)
        machines(cluster).partition("node-1")
        await cluster.clock.advance(100)
        assert await first(cluster) == before
        machines(cluster).heal("node-1")
        await cluster.settle()
        assert (await first(cluster))["restartCount"] == 2


async def test_a_partitioned_node_writes_no_events() -> None:
    async with running("kubelet") as cluster:
        await cluster.create(on("node-1"))
        machines(cluster).partition("node-1")
        before = len(await messages(cluster, "Started"))
        await cluster.clock.advance(100)
        assert len(await messages(cluster, "Started")) == before


async def test_a_pod_that_was_deleted_meanwhile_ends_when_the_partition_heals() -> None:
    async with running("kubelet") as cluster:
        stored = await cluster.create(on("node-1", command=["sleep", "infinity"]))
        machines(cluster).partition("node-1")
        await cluster.store("pods").delete("web", DeleteOptions(gracePeriodSeconds=0), WriteContext("default"))
        await cluster.settle()
        kubelet = cluster.manager.kubelet
        assert kubelet is not None
        with pytest.raises(ApiError, match=r"dial tcp 172.16.0.1:10250: i/o timeout"):
            kubelet.simulated(Pod.from_document(stored.document))
        machines(cluster).heal("node-1")
        await cluster.settle()
        assert kubelet.simulated(Pod.from_document(stored.document)) is None


async def test_a_pod_that_is_bound_to_a_partitioned_node_starts_after_it() -> None:
    async with running("kubelet") as cluster:
        machines(cluster).partition("node-1")
        await cluster.create(on("node-1"))
        assert (await status(cluster))["phase"] == "Pending"
        machines(cluster).heal("node-1")
        await cluster.settle()
        assert (await status(cluster))["phase"] == "Running"


async def test_a_reboot_restarts_containers_and_changes_the_boot_id() -> None:
    async with running("kubelet") as cluster:
        await cluster.create(on("node-1", command=["sleep", "infinity"]))
        before = (await node(cluster))["status"]["nodeInfo"]
        machines(cluster).reboot("node-1")
        await cluster.settle()
        after, container = (await node(cluster))["status"]["nodeInfo"], await first(cluster)
        assert after == {**before, "bootID": after["bootID"]} != before
        ended = container["lastState"]["terminated"]
        assert (container["restartCount"], ended["exitCode"], ended["reason"]) == (1, 255, "Unknown")
        assert await messages(cluster, "Rebooted") == [f"Node node-1 has been rebooted, boot id: {after['bootID']}"]
        assert await messages(cluster, "SandboxChanged") == ["Pod sandbox changed, it will be killed and re-created."]


async def test_pods_that_never_restart_fail_at_a_reboot() -> None:
    async with running("kubelet") as cluster:
        await cluster.create(on("node-1", policy="Never"))
        machines(cluster).reboot("node-1")
        await cluster.settle()
        assert (await status(cluster))["phase"] == "Failed"


async def test_init_containers_run_again_after_a_reboot() -> None:
    async with running("kubelet") as cluster:
        pod = on("node-1", command=["sleep", "infinity"])
        pod["spec"]["initContainers"] = [{"name": "init", "image": "busybox", "command": ["sleep", "5"]}]
        await cluster.create(pod)
        await cluster.clock.advance(10)
        machines(cluster).reboot("node-1")
        await cluster.clock.advance(2)
        found = await status(cluster)
        assert (found["initContainerStatuses"][0]["restartCount"], "running" in (await first(cluster))["state"]) == (
            1,
            False,
        )
        await cluster.clock.advance(10)
        assert ((await status(cluster))["phase"], (await first(cluster))["restartCount"]) == ("Running", 1)


async def test_files_in_memory_are_lost_at_a_reboot_and_others_stay() -> None:
    script = "cat /memory/x /disk/x; echo kept > /memory/x; echo kept > /disk/x; sleep 1000"
    async with running("kubelet") as cluster:
        mounts = [{"name": name, "mountPath": f"/{name}"} for name in ("memory", "disk")]
        pod = on("node-1", command=["sh", "-c", script], volumeMounts=mounts)
        pod["spec"]["volumes"] = [
            {"name": "memory", "emptyDir": {"medium": "Memory"}},
            {"name": "disk", "emptyDir": {}},
        ]
        stored = await cluster.create(pod)
        machines(cluster).reboot("node-1")
        await cluster.settle()
        assert cluster.manager.kubelet is not None
        simulated = cluster.manager.kubelet.simulated(Pod.from_document(stored.document))
        assert simulated is not None
        log = simulated.containers["app"].log
        assert log is not None
        assert log.last_words() == "cat: can't open '/memory/x': No such file or directory\nkept\n"


async def test_a_failed_node_runs_after_a_reboot() -> None:
    async with running("kubelet") as cluster:
        machines(cluster).fail("node-1")
        machines(cluster).reboot("node-1")
        await cluster.settle()
        assert len(await messages(cluster, "Rebooted")) == 1
        assert len(await messages(cluster, "Starting")) == 1


async def test_a_reboot_during_a_partition_is_reported_when_it_heals() -> None:
    async with running("kubelet") as cluster:
        machines(cluster).partition("node-1")
        machines(cluster).reboot("node-1")
        await cluster.clock.advance(60)
        assert await messages(cluster, "Rebooted") == []
        machines(cluster).heal("node-1")
        await cluster.settle()
        assert len(await messages(cluster, "Rebooted")) == 1
