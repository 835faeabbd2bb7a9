"""Preemption of pods by pods of higher priority."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster
from tests.controllers.scheduler.scheduling import (
    add_node,
    events,
    node,
    node_of,
    place,
    pod,
    scheduled_condition,
    scheduling,
)

pytestmark = pytest.mark.anyio
LARGE = {"cpu": "4"}
HALF = {"cpu": "2"}
NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"


def critical(name: str = "critical", requests: Document = LARGE, **spec: Any) -> Document:
    return pod(name, requests=requests, priorityClassName="system-cluster-critical", **spec)


def more_critical(name: str, **fields: Any) -> Document:
    return pod(name, priorityClassName="system-node-critical", **fields)


async def bind(cluster: Cluster, name: str, node_name: str, requests: Document = LARGE, **fields: Any) -> None:
    await cluster.create(pod(name, requests=requests, nodeName=node_name, **fields))


async def terminating(cluster: Cluster) -> list[str]:
    names = []
    for name in ("a", "b", "c"):
        document = await cluster.get("pods", name)
        if document is not None and "deletionTimestamp" in document["metadata"]:
            names.append(name)
    return names


async def vanish(cluster: Cluster, name: str) -> None:
    """Remove a pod from storage, as the kubelet does once its containers have ended."""
    store = cluster.store("pods")
    await store.backend.storage.delete(store.key("default", name))
    await cluster.settle()


async def test_a_less_important_pod_is_evicted() -> None:
    async with scheduling(node("x")) as cluster:
        await bind(cluster, "a", "x")
        assert await place(cluster, critical()) is None
        victim = await cluster.get("pods", "a")
        assert victim is not None
        assert victim["metadata"]["deletionGracePeriodSeconds"] == 30
        (target,) = [c for c in victim["status"]["conditions"] if c["type"] == "DisruptionTarget"]
        assert (target["status"], target["reason"]) == ("True", "PreemptionByScheduler")
        assert target["message"] == "default-scheduler: preempting to accommodate a higher priority pod"


async def test_the_important_pod_waits_for_its_node_and_gets_it() -> None:
    async with scheduling(node("x")) as cluster:
        await bind(cluster, "a", "x")
        stored = await cluster.create(critical())
        assert (await cluster.get("pods", "critical") or {})["status"]["nominatedNodeName"] == "x"
        message = "0/1 nodes are available: 1 Insufficient cpu."
        assert (await scheduled_condition(cluster, "critical"))["message"] == message
        (event,) = await events(cluster, "Preempted")
        assert (event["type"], event["message"]) == ("Normal", f"Preempted by pod {stored.uid} on node x")
        await vanish(cluster, "a")
        assert await node_of(cluster, "critical") == "x"
        assert "nominatedNodeName" not in (await cluster.get("pods", "critical") or {})["status"]


async def test_others_do_not_take_the_room_that_was_made() -> None:
    async with scheduling(node("x")) as cluster:
        await bind(cluster, "a", "x")
        await cluster.create(critical())
        await cluster.create(pod("sneaky", requests={"cpu": "1"}))
        await vanish(cluster, "a")
        assert await node_of(cluster, "critical") == "x"
        assert await node_of(cluster, "sneaky") is None


async def test_a_more_important_pod_takes_the_promised_node() -> None:
    async with scheduling(node("x")) as cluster:
        await bind(cluster, "a", "x")
        await cluster.create(critical())
        await vanish(cluster, "a")
        await cluster.create(more_critical("first", requests=LARGE))
        assert await terminating(cluster) == []
        assert (await cluster.get("pods", "critical") or {})["metadata"].get("deletionTimestamp")


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (pod("critical", requests=LARGE), f"0/2 nodes are available: 1 {NO_VICTIMS}, 1 {NOT_HELPFUL}."),
        (critical(requests={"cpu": "5"}), f"0/2 nodes are available: 2 {NOT_HELPFUL}."),
        (critical(nodeSelector={"disk": "ssd"}), f"0/2 nodes are available: 2 {NOT_HELPFUL}."),
    ],
)
async def test_nobody_is_evicted_in_vain(document: Document, why: str) -> None:
    async with scheduling(node("x"), node("y", cpu="1")) as cluster:
        await bind(cluster, "a", "x")
        await cluster.create(document)
        message = (await scheduled_condition(cluster, "critical"))["message"]
        assert message.endswith(f". no new claims to deallocate, preemption: {why}")
        assert await terminating(cluster) == []


@pytest.mark.parametrize(("policy", "expected"), [("PreemptLowerPriority", ["a"]), ("Never", [])])
async def test_a_pod_may_be_important_and_yet_wait_its_turn(policy: str, expected: list[str]) -> None:
    async with scheduling(node("x"), admission_plugins=()) as cluster:
        await bind(cluster, "a", "x")
        await cluster.create(pod("new", requests=LARGE, priority=1000, preemptionPolicy=policy))
        assert await terminating(cluster) == expected
        if not expected:
            message = (await scheduled_condition(cluster, "new"))["message"]
            assert message.endswith("preemption: not eligible due to preemptionPolicy=Never.")


async def test_only_as_many_pods_go_as_must() -> None:
    async with scheduling(node("x")) as cluster:
        await bind(cluster, "a", "x", {"cpu": "1"})
        await bind(cluster, "b", "x", {"cpu": "3"})
        await cluster.create(critical(requests={"cpu": "3"}))
        assert await terminating(cluster) == ["b"]


async def test_pods_that_began_last_go_first() -> None:
    async with scheduling(node("x")) as cluster:
        for name, start in (("a", "2026-01-02T00:00:00Z"), ("b", "2026-01-01T00:00:00Z")):
            await bind(cluster, name, "x", HALF)
            await cluster.change("pods", name, subresource="status", status={"phase": "Running", "startTime": start})
        await cluster.create(critical(requests=HALF))
        assert await terminating(cluster) == ["a"]


async def test_the_node_with_the_fewest_victims_is_chosen() -> None:
    async with scheduling(node("x"), node("y")) as cluster:
        await bind(cluster, "a", "x", HALF)
        await bind(cluster, "b", "x", HALF)
        await bind(cluster, "c", "y")
        await cluster.create(critical())
        assert await terminating(cluster) == ["c"]


async def test_the_node_with_the_least_important_victims_is_chosen() -> None:
    async with scheduling(node("x"), node("y")) as cluster:
        await bind(cluster, "a", "x", priorityClassName="system-cluster-critical")
        await bind(cluster, "b", "y")
        await cluster.create(more_critical("new", requests=LARGE))
        assert await terminating(cluster) == ["b"]


async def test_pods_that_budgets_protect_are_spared_where_others_will_do() -> None:
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    }
    async with scheduling(node("x"), node("y")) as cluster:
        await cluster.create(budget)
        await bind(cluster, "a", "x", labels={"app": "web"})
        await bind(cluster, "b", "y", HALF)
        await bind(cluster, "c", "y", HALF)
        await cluster.create(critical())
        assert await terminating(cluster) == ["b", "c"]


async def test_while_victims_are_leaving_no_more_are_evicted() -> None:
    async with scheduling(node("x"), node("y", cpu="1")) as cluster:
        await bind(cluster, "a", "x")
        await cluster.create(critical())
        await add_node(cluster, node("z", spec={"unschedulable": True}))
        message = (await scheduled_condition(cluster, "critical"))["message"]
        assert message.endswith("preemption: not eligible due to a terminating pod on the nominated node.")


async def test_a_pod_that_preempts_on_another_node_waits_for_the_victims_there() -> None:
    async with scheduling(node("x"), node("y")) as cluster:
        await bind(cluster, "a", "x")
        await bind(cluster, "b", "y")
        await cluster.create(critical())
        top = pod("top", requests={"cpu": "4"}, nodeName="x", priorityClassName="system-node-critical")
        await cluster.create(top)
        await cluster.change("pods", "a", subresource="status", status={"phase": "Succeeded"})
        assert (await cluster.get("pods", "critical") or {})["status"]["nominatedNodeName"] == "y"
        message = (await scheduled_condition(cluster, "critical"))["message"]
        assert message == "0/2 nodes are available: 2 Insufficient cpu."


async def test_a_neighbour_that_is_in_the_way_is_evicted() -> None:
    apart = {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
            ]
        }
    }
    async with scheduling(node("x")) as cluster:
        await bind(cluster, "a", "x", {}, labels={"app": "web"})
        await bind(cluster, "b", "x", {})
        await cluster.create(critical(requests={}, affinity=apart))
        assert await terminating(cluster) == ["a"]
