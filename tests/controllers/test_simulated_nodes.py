from ipaddress import IPv4Network
from typing import Any

import pytest

from memkube.controllers.nodes.leases import LEASE_NAMESPACE
from memkube.controllers.options import MOST_NODES, ControllerOptions
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import Cluster, instant, running
from tests.controllers.nodes import conditions, machines, messages, node

pytestmark = pytest.mark.anyio


async def lease_age(cluster: Cluster, name: str = "node-1") -> float:
    """Return the seconds since a node's lease was renewed."""
    lease = await cluster.get("leases", name, LEASE_NAMESPACE)
    assert lease is not None
    return (cluster.clock.now() - instant(lease["spec"]["renewTime"])).total_seconds()


def ready(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = conditions(document)["Ready"]
    return found


async def test_a_cluster_has_one_node_that_is_ready() -> None:
    async with running("kubelet") as cluster:
        (stored,) = (await cluster.store("nodes").list("", ListOptions())).items
        assert stored.name == "node-1"
        assert ready(stored.document)["reason"] == "KubeletReady"


async def test_a_node_declares_the_features_of_resizes() -> None:
    async with running("kubelet") as cluster:
        (stored,) = (await cluster.store("nodes").list("", ListOptions())).items
        features = ["InPlacePodLevelResourcesVerticalScaling", "InPlacePodVerticalScalingInitContainers"]
        assert stored.document["status"]["declaredFeatures"] == features


async def test_nodes_are_spread_over_zones_in_turn() -> None:
    async with running("kubelet", nodes=3, zones=2) as cluster:
        stored = (await cluster.store("nodes").list("", ListOptions())).items
        assert [n.labels["topology.kubernetes.io/zone"] for n in stored] == ["zone-1", "zone-2", "zone-1"]


async def test_no_two_nodes_share_an_address() -> None:
    async with running("kubelet", nodes=300) as cluster:
        found = list(machines(cluster))
        assert len({machine.host_ip for machine in found}) == 300
        assert len({machine.pod_network for machine in found}) == 300
        assert found[-1].pod_network == IPv4Network("10.245.44.0/24")


async def test_a_cluster_may_have_no_node() -> None:
    async with running("kubelet", nodes=0) as cluster:
        assert (await cluster.store("nodes").list("", ListOptions())).items == []


@pytest.mark.parametrize("numbers", [{"nodes": -1}, {"nodes": MOST_NODES + 1}, {"zones": 0}])
def test_numbers_that_make_no_sense_are_refused(numbers: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the number of"):
        ControllerOptions(**numbers)


async def test_a_lease_belongs_to_its_node_and_is_renewed_every_ten_seconds() -> None:
    async with running("kubelet") as cluster:
        await cluster.clock.advance(25)
        lease = await cluster.get("leases", "node-1", LEASE_NAMESPACE)
        assert lease is not None
        assert lease["metadata"]["ownerReferences"][0]["uid"] == (await node(cluster))["metadata"]["uid"]
        assert await lease_age(cluster) == 5


async def test_the_status_is_reported_every_five_minutes() -> None:
    async with running("kubelet") as cluster:
        before = await node(cluster)
        await cluster.clock.advance(290)
        assert await node(cluster) == before
        await cluster.clock.advance(10)
        assert instant(ready(await node(cluster))["lastHeartbeatTime"]) == cluster.clock.now()
        assert ready(await node(cluster))["lastTransitionTime"] == ready(before)["lastTransitionTime"]


async def test_a_status_that_somebody_else_wrote_is_set_right() -> None:
    async with running("kubelet") as cluster:
        status = (await node(cluster))["status"]
        broken = [{**c, "status": "Unknown"} for c in status["conditions"]]
        await cluster.change("nodes", "node-1", "", "status", status={**status, "conditions": broken})
        await cluster.clock.advance(10)
        assert ready(await node(cluster))["status"] == "True"


async def test_conditions_of_others_stay() -> None:
    async with running("kubelet") as cluster:
        status = (await node(cluster))["status"]
        more = [*status["conditions"], {"type": "Rebooting", "status": "True"}]
        await cluster.change("nodes", "node-1", "", "status", status={**status, "conditions": more})
        await cluster.clock.advance(300)
        assert (await node(cluster))["status"]["conditions"][-1]["type"] == "Rebooting"


async def test_a_failed_node_is_silent_until_it_recovers() -> None:
    async with running("kubelet", nodes=2) as cluster:
        machines(cluster).fail("node-2")
        await cluster.clock.advance(60)
        assert (await lease_age(cluster, "node-1"), await lease_age(cluster, "node-2")) == (0, 60)
        machines(cluster).recover("node-2")
        await cluster.settle()
        assert await lease_age(cluster, "node-2") == 0


async def test_a_kubelet_reports_that_it_starts_anew_and_what_has_changed() -> None:
    async with running("kubelet", "node-lifecycle", nodes=2) as cluster:
        machines(cluster).fail("node-2")
        await cluster.clock.advance(60)
        machines(cluster).recover("node-2")
        await cluster.settle()
        assert await messages(cluster, "Starting") == ["Starting kubelet."]
        assert await messages(cluster, "NodeReady") == ["Node node-2 status is now: NodeReady"]


async def test_who_asks_is_told_once_that_a_node_fails_and_recovers() -> None:
    async with running("kubelet") as cluster:
        told: list[tuple[str, bool]] = []
        nodes = machines(cluster)
        machine = nodes.get("node-1")
        assert machine is not None
        nodes.subscribe(lambda name: told.append((name, machine.failed)))
        for act in (nodes.recover, nodes.fail, nodes.fail, nodes.recover):
            act("node-1")
        assert told == [("node-1", True), ("node-1", False)]


async def test_only_simulated_nodes_can_fail() -> None:
    async with running("kubelet") as cluster:
        await cluster.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "mine"}})
        assert machines(cluster).get("mine") is None
        with pytest.raises(KeyError):
            machines(cluster).fail("mine")


async def test_a_deleted_node_comes_back_only_when_its_kubelet_starts_anew() -> None:
    async with running("kubelet", "garbage-collector") as cluster:
        await cluster.delete("nodes", "node-1", namespace="")
        await cluster.clock.advance(600)
        assert await cluster.get("nodes", "node-1", "") is None
        assert await cluster.get("leases", "node-1", LEASE_NAMESPACE) is None
        machines(cluster).fail("node-1")
        machines(cluster).recover("node-1")
        await cluster.settle()
        assert ready(await node(cluster))["status"] == "True"


async def test_a_node_that_a_user_creates_again_is_reported_on() -> None:
    async with running("kubelet", "garbage-collector") as cluster:
        await cluster.delete("nodes", "node-1", namespace="")
        await cluster.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}})
        await cluster.clock.advance(20)
        assert ready(await node(cluster))["status"] == "True"
        assert await lease_age(cluster) == 0


async def test_a_deleted_lease_comes_back_with_the_next_heartbeat() -> None:
    async with running("kubelet") as cluster:
        await cluster.delete("leases", "node-1", namespace=LEASE_NAMESPACE)
        await cluster.clock.advance(10)
        assert await lease_age(cluster) == 0
