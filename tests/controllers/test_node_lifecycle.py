from typing import Any

import pytest

from memkube.controllers.node_lifecycle.zones import zone_of
from tests.controllers.cluster import Cluster, running
from tests.controllers.nodes import bound, change_spec, conditions, machines, messages, node, taints

CONTROLLERS = ("kubelet", "node-lifecycle")

pytestmark = pytest.mark.anyio


async def make_node(cluster: Cluster, name: str, **document: Any) -> None:
    await cluster.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, **document})


async def test_a_ready_node_has_no_taints() -> None:
    async with running(*CONTROLLERS) as cluster:
        assert await taints(cluster) == set()
        assert await messages(cluster, "RegisteredNode") == ["Node node-1 event: Registered Node node-1 in Controller"]


async def test_nodes_stay_ready_as_long_as_their_leases_are_renewed() -> None:
    async with running(*CONTROLLERS, nodes=3) as cluster:
        await cluster.clock.advance(3600)
        assert [conditions(await node(cluster, f"node-{n}"))["Ready"]["status"] for n in (1, 2, 3)] == ["True"] * 3


async def test_a_node_that_is_silent_for_fifty_seconds_is_unknown() -> None:
    async with running(*CONTROLLERS, nodes=2) as cluster:
        machines(cluster).fail("node-1")
        await cluster.clock.advance(49)
        assert conditions(await node(cluster))["Ready"]["status"] == "True"
        await cluster.clock.advance(1)
        found = conditions(await node(cluster))
        assert {condition["status"] for condition in found.values()} == {"Unknown"}
        assert {condition["reason"] for condition in found.values()} == {"NodeStatusUnknown"}
        assert found["Ready"]["message"] == "Kubelet stopped posting node status."


async def test_a_silent_node_is_tainted_until_it_comes_back() -> None:
    async with running(*CONTROLLERS, nodes=2) as cluster:
        machines(cluster).fail("node-1")
        await cluster.clock.advance(60)
        assert await taints(cluster) == {"unreachable:NoSchedule", "unreachable:NoExecute"}
        machines(cluster).recover("node-1")
        await cluster.settle()
        assert await taints(cluster) == set()


async def test_pods_of_a_silent_node_are_not_ready() -> None:
    async with running(*CONTROLLERS, nodes=2) as cluster:
        await cluster.create(bound("a"))
        await cluster.create(bound("b", "node-2"))
        machines(cluster).fail("node-1")
        await cluster.clock.advance(60)
        ready = {name: conditions(await cluster.get("pods", name) or {})["Ready"]["status"] for name in ("a", "b")}
        assert ready == {"a": "False", "b": "True"}
        assert sorted(await messages(cluster, "NodeNotReady")) == [
            "Node is not ready",
            "Node node-1 status is now: NodeNotReady",
        ]


async def test_a_cordoned_node_is_tainted() -> None:
    async with running(*CONTROLLERS) as cluster:
        await change_spec(cluster, "node-1", unschedulable=True)
        assert await taints(cluster) == {"unschedulable:NoSchedule"}
        await change_spec(cluster, "node-1", unschedulable=False)
        assert await taints(cluster) == set()


@pytest.mark.parametrize(
    ("condition", "status", "taint"),
    [
        ("MemoryPressure", "True", "memory-pressure"),
        ("DiskPressure", "True", "disk-pressure"),
        ("PIDPressure", "True", "pid-pressure"),
        ("NetworkUnavailable", "True", "network-unavailable"),
        ("Ready", "False", "not-ready"),
    ],
)
async def test_conditions_become_taints(condition: str, status: str, taint: str) -> None:
    async with running("node-lifecycle") as cluster:
        await make_node(cluster, "mine", status={"conditions": [{"type": condition, "status": status}]})
        assert await taints(cluster, "mine") == {f"{taint}:NoSchedule"}


async def test_a_node_without_a_kubelet_may_take_pods_for_a_minute() -> None:
    async with running(*CONTROLLERS) as cluster:
        await make_node(cluster, "mine")
        await cluster.clock.advance(59)
        assert await taints(cluster, "mine") == set()
        await cluster.clock.advance(1)
        ready = conditions(await node(cluster, "mine"))["Ready"]
        assert (ready["status"], ready["reason"]) == ("Unknown", "NodeStatusNeverUpdated")
        await cluster.clock.advance(3600)
        assert await taints(cluster, "mine") == {"unreachable:NoSchedule", "unreachable:NoExecute"}


async def test_a_node_without_a_kubelet_lives_as_long_as_somebody_renews_its_lease() -> None:
    async with running(*CONTROLLERS) as cluster:
        await make_node(cluster, "mine", status={"conditions": [{"type": "Ready", "status": "True"}]})
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "mine"}}
        await cluster.create({**lease, "spec": {"renewTime": "2020-01-01T00:00:00.000000Z"}}, "kube-node-lease")
        await cluster.clock.advance(40)
        await cluster.change("leases", "mine", "kube-node-lease", spec={"renewTime": "2020-01-01T00:00:10.000000Z"})
        await cluster.clock.advance(49)
        assert conditions(await node(cluster, "mine"))["Ready"]["status"] == "True"
        await cluster.clock.advance(1)
        assert conditions(await node(cluster, "mine"))["Ready"]["status"] == "Unknown"


async def test_where_no_node_is_ready_nothing_is_driven_off() -> None:
    async with running(*CONTROLLERS, nodes=3, zones=3) as cluster:
        for name in ("node-1", "node-2", "node-3"):
            machines(cluster).fail(name)
        await cluster.clock.advance(3600)
        assert await taints(cluster) == {"unreachable:NoSchedule"}
        machines(cluster).recover("node-3")
        await cluster.clock.advance(60)
        assert await taints(cluster) == {"unreachable:NoSchedule", "unreachable:NoExecute"}
        assert await taints(cluster, "node-3") == set()


async def test_where_most_of_a_zone_is_silent_nothing_is_driven_off_there() -> None:
    async with running(*CONTROLLERS, nodes=5) as cluster:
        for name in ("node-1", "node-2", "node-3"):
            machines(cluster).fail(name)
        await cluster.clock.advance(3600)
        assert await taints(cluster) == {"unreachable:NoSchedule"}


async def test_one_node_of_a_zone_is_given_up_after_another() -> None:
    async with running(*CONTROLLERS, nodes=5) as cluster:
        for name in ("node-1", "node-2"):
            machines(cluster).fail(name)
        await cluster.clock.advance(51)
        given_up = [("unreachable:NoExecute" in await taints(cluster, name)) for name in ("node-1", "node-2")]
        assert sorted(given_up) == [False, True]
        await cluster.clock.advance(10)
        assert "unreachable:NoExecute" in await taints(cluster, "node-1") & await taints(cluster, "node-2")


async def test_a_node_that_goes_from_not_ready_to_silent_changes_its_taint_at_once() -> None:
    async with running(*CONTROLLERS) as cluster:
        await make_node(cluster, "mine", status={"conditions": [{"type": "Ready", "status": "False"}]})
        await cluster.clock.advance(1)
        assert await taints(cluster, "mine") == {"not-ready:NoSchedule", "not-ready:NoExecute"}
        await cluster.clock.advance(49)
        assert await taints(cluster, "mine") == {"unreachable:NoSchedule", "unreachable:NoExecute"}


async def test_the_old_names_of_labels_follow_the_new_ones() -> None:
    async with running("node-lifecycle") as cluster:
        labels = {"kubernetes.io/os": "linux", "beta.kubernetes.io/os": "plan9", "kubernetes.io/arch": "arm64"}
        await cluster.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "mine", "labels": labels}})
        found = (await node(cluster, "mine"))["metadata"]["labels"]
        assert (found["beta.kubernetes.io/os"], found["beta.kubernetes.io/arch"]) == ("linux", "arm64")


async def test_a_deleted_node_is_reported() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.delete("nodes", "node-1", namespace="")
        assert await messages(cluster, "RemovingNode") == ["Node node-1 event: Removing Node node-1 from Controller"]


async def test_a_new_node_loses_no_execute_taints_that_the_controller_did_not_set() -> None:
    async with running("node-lifecycle") as cluster:
        given = [
            {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
            {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"},
            {"key": "example.com/mine", "effect": "NoExecute"},
        ]
        await make_node(cluster, "mine", spec={"taints": given})
        assert await taints(cluster, "mine") == {"example.com/mine:NoExecute"}


@pytest.mark.parametrize(
    ("labels", "zone"),
    [
        ({}, ("", "")),
        ({"topology.kubernetes.io/zone": "a", "topology.kubernetes.io/region": "r"}, ("r", "a")),
        ({"topology.kubernetes.io/zone": "a", "failure-domain.beta.kubernetes.io/zone": "b"}, ("", "b")),
        ({"topology.kubernetes.io/zone": "a", "failure-domain.beta.kubernetes.io/zone": ""}, ("", "")),
    ],
)
def test_the_beta_labels_of_a_zone_count_first(labels: dict[str, str], zone: tuple[str, str]) -> None:
    assert zone_of({"metadata": {"labels": labels}}) == zone
