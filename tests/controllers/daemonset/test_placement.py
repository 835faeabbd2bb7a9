from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.controllers.daemonset.placement import daemon_tolerations
from tests.controllers.cluster import CONTAINERS, running
from tests.controllers.daemonset.daemon_sets import (
    CONTROLLER,
    add_node,
    bind,
    daemon_set,
    placed,
    taint,
    template,
)
from tests.controllers.workloads import listed, status

pytestmark = pytest.mark.anyio
TOLERATED = [{"key": "dedicated", "operator": "Exists"}]


def requiring(*terms: Document) -> Document:
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}


def wants(operator: str, *values: str) -> Document:
    return {"matchExpressions": [{"key": "disk", "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("spec", "nodes"),
    [
        ({}, ["bare", "fast", "slow"]),
        ({"nodeSelector": {"disk": "fast"}}, ["fast"]),
        ({"nodeSelector": {"disk": "none"}}, []),
        ({"nodeName": "slow"}, ["slow"]),
        ({"affinity": requiring(wants("In", "fast"), wants("DoesNotExist"))}, ["bare", "fast"]),
        ({"affinity": requiring(wants("NotIn", "fast"))}, ["bare", "slow"]),
        ({"affinity": requiring(wants("Exists")), "nodeSelector": {"disk": "slow"}}, ["slow"]),
        ({"tolerations": TOLERATED}, ["bare", "fast", "reserved", "slow", "strict"]),
        ({"tolerations": [{**TOLERATED[0], "effect": "NoSchedule"}]}, ["bare", "fast", "reserved", "slow"]),
    ],
)
async def test_nodes_are_selected_by_name_labels_and_taints(spec: Document, nodes: list[str]) -> None:
    async with running(CONTROLLER) as cluster:
        await add_node(cluster, "bare", taint("PreferNoSchedule"))
        await add_node(cluster, "fast", disk="fast")
        await add_node(cluster, "slow", disk="slow")
        await add_node(cluster, "reserved", taint("NoSchedule"))
        await add_node(cluster, "strict", taint("NoExecute"))
        await cluster.create(daemon_set(template=template(**spec)))
        assert await placed(cluster) == nodes
        assert (await status(cluster, "daemonsets"))["desiredNumberScheduled"] == len(nodes)


async def test_a_pod_requires_its_node_instead_of_the_required_affinity_of_the_template() -> None:
    preferred = [{"weight": 1, "preference": wants("In", "slow")}]
    affinity = requiring(wants("In", "fast"))
    affinity["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] = preferred
    async with running(CONTROLLER) as cluster:
        await add_node(cluster, "fast", disk="fast")
        await cluster.create(daemon_set(template=template(affinity=affinity)))
        [pod] = await listed(cluster)
        here = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["fast"]}]}
        assert pod.document["spec"]["affinity"]["nodeAffinity"] == {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [here]},
            "preferredDuringSchedulingIgnoredDuringExecution": preferred,
        }


def test_tolerations_are_added_after_those_of_the_template() -> None:
    found = daemon_tolerations({"tolerations": TOLERATED, "containers": CONTAINERS})
    assert found[0] == TOLERATED[0]
    assert [(t["key"].removeprefix("node.kubernetes.io/"), t["effect"]) for t in found[1:]] == [
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    ]


def test_pods_on_the_network_of_the_node_tolerate_that_it_is_not_available() -> None:
    key = "node.kubernetes.io/network-unavailable"
    assert daemon_tolerations({"hostNetwork": True})[-1] == {"key": key, "operator": "Exists", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("given", "first", "count"),
    [
        ({"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}, {}, 6),
        ({"operator": "Exists", "tolerationSeconds": 5}, {"tolerationSeconds": 5}, 7),
        ({"operator": "Equal", "value": "x", "effect": "NoExecute"}, {"value": "x"}, 7),
    ],
)
def test_an_equal_toleration_is_replaced(given: dict[str, Any], first: Document, count: int) -> None:
    found = daemon_tolerations({"tolerations": [{"key": "node.kubernetes.io/not-ready", **given}]})
    assert {name: value for name, value in found[0].items() if name in ("value", "tolerationSeconds")} == first
    assert len(found) == count


async def test_a_node_that_gets_a_label_gets_a_pod_and_one_that_loses_it_loses_its_bound_pod() -> None:
    async with running(CONTROLLER) as cluster:
        await add_node(cluster, "n1")
        await cluster.create(daemon_set(template=template(nodeSelector={"disk": "fast"})))
        await cluster.change("nodes", "n1", "", metadata={"labels": {"disk": "fast"}})
        assert await placed(cluster) == ["n1"]
        await bind(cluster, "n1")
        await cluster.change("nodes", "n1", "", metadata={"labels": {}})
        assert (await status(cluster, "daemonsets"))["desiredNumberScheduled"] == 0
        assert all("deletionTimestamp" in pod.document["metadata"] for pod in await listed(cluster))


@pytest.mark.parametrize(
    ("effect", "is_bound", "stays"),
    [("NoSchedule", True, True), ("NoExecute", True, False), ("NoExecute", False, True)],
)
async def test_only_a_bound_pod_leaves_a_node_that_gets_a_taint(effect: str, is_bound: bool, stays: bool) -> None:
    async with running(CONTROLLER) as cluster:
        await add_node(cluster, "n1")
        await cluster.create(daemon_set())
        if is_bound:
            await bind(cluster, "n1")
        await cluster.change("nodes", "n1", "", spec={"taints": [taint(effect)]})
        [pod] = await listed(cluster)
        assert ("deletionTimestamp" not in pod.document["metadata"]) is stays


async def test_a_misscheduled_pod_is_counted_again_when_its_node_loses_the_taint() -> None:
    async with running(CONTROLLER) as cluster:
        await add_node(cluster, "n1")
        await cluster.create(daemon_set())
        await bind(cluster, "n1")
        await cluster.change("nodes", "n1", "", spec={"taints": [taint("NoSchedule")]})
        await cluster.change("daemonsets", "web", metadata={"labels": {"a": "b"}})
        assert (await status(cluster, "daemonsets"))["numberMisscheduled"] == 1
        await cluster.change("nodes", "n1", "", spec={"taints": []})
        assert (await status(cluster, "daemonsets"))["numberMisscheduled"] == 0


async def test_an_unbound_pod_of_a_deleted_node_is_deleted() -> None:
    async with running(CONTROLLER) as cluster:
        await add_node(cluster, "n1")
        await cluster.create(daemon_set())
        await cluster.delete("nodes", "n1")
        assert await placed(cluster) == ["n1"]
        await cluster.change("daemonsets", "web", metadata={"labels": {"a": "b"}})
        assert await placed(cluster) == []
