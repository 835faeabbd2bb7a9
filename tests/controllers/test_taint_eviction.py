from dataclasses import replace
from typing import Any

import pytest

from memkube.registry.declarations.admission import AdmitAll, Attributes, refused
from tests.controllers.cluster import Cluster, running
from tests.controllers.nodes import bound, change_spec, conditions, machines, messages

CONTROLLERS = ("kubelet", "node-lifecycle", "taint-eviction")
TAINT = {"key": "example.com/flood", "effect": "NoExecute", "value": "high"}

pytestmark = pytest.mark.anyio


async def taint(cluster: Cluster, *taints: dict[str, Any]) -> None:
    await change_spec(cluster, "node-1", taints=list(taints))


async def is_leaving(cluster: Cluster, name: str = "a") -> bool:
    pod = await cluster.get("pods", name)
    return pod is None or "deletionTimestamp" in pod["metadata"]


async def test_a_pod_leaves_a_tainted_node_at_once() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(bound("a"))
        await taint(cluster, TAINT)
        pod = await cluster.get("pods", "a")
        assert pod is not None
        assert "deletionTimestamp" in pod["metadata"]
        target = conditions(pod)["DisruptionTarget"]
        assert (target["status"], target["reason"]) == ("True", "DeletionByTaintManager")
        assert target["message"] == "Taint manager: deleting due to NoExecute taint"
        assert await messages(cluster, "TaintManagerEviction") == ["Marking for deletion Pod default/a"]


@pytest.mark.parametrize(
    "toleration",
    [
        {"operator": "Exists"},
        {"key": "example.com/flood", "operator": "Exists"},
        {"key": "example.com/flood", "value": "high"},
        {"key": "example.com/flood", "operator": "Equal", "value": "high", "effect": "NoExecute"},
    ],
)
async def test_a_pod_that_tolerates_the_taint_stays(toleration: dict[str, Any]) -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(bound("a", tolerations=[toleration]))
        await taint(cluster, TAINT)
        await cluster.clock.advance(3_600)
        assert not await is_leaving(cluster)


@pytest.mark.parametrize(
    "toleration",
    [
        {"key": "example.com/flood", "value": "low"},
        {"key": "example.com/fire", "operator": "Exists"},
        {"key": "example.com/flood", "operator": "Exists", "effect": "NoSchedule"},
        {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0},
    ],
)
async def test_a_pod_that_tolerates_something_else_goes(toleration: dict[str, Any]) -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(bound("a", tolerations=[toleration]))
        await taint(cluster, TAINT)
        assert await is_leaving(cluster)


async def test_a_taint_that_keeps_pods_from_coming_drives_none_off() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(bound("a"))
        await taint(cluster, {**TAINT, "effect": "NoSchedule"})
        assert not await is_leaving(cluster)


async def test_the_least_tolerance_counts() -> None:
    async with running(*CONTROLLERS) as cluster:
        other = {"key": "example.com/fire", "effect": "NoExecute"}
        tolerations = [
            {"key": "example.com/flood", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60},
            {"key": "example.com/fire", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 20},
        ]
        await cluster.create(bound("a", tolerations=tolerations))
        await taint(cluster, TAINT, other)
        await cluster.clock.advance(19)
        assert not await is_leaving(cluster)
        await cluster.clock.advance(1)
        assert await is_leaving(cluster)


async def test_pods_leave_a_failed_node_after_five_minutes() -> None:
    async with running(*CONTROLLERS, nodes=2) as cluster:
        await cluster.create(bound("a"))
        machines(cluster).fail("node-1")
        await cluster.clock.advance(350)
        assert not await is_leaving(cluster)
        await cluster.clock.advance(1)
        assert await is_leaving(cluster)


async def test_pods_stay_where_the_node_comes_back_in_time() -> None:
    async with running(*CONTROLLERS, nodes=2) as cluster:
        await cluster.create(bound("a"))
        machines(cluster).fail("node-1")
        await cluster.clock.advance(200)
        machines(cluster).recover("node-1")
        await cluster.clock.advance(600)
        assert not await is_leaving(cluster)
        assert await messages(cluster, "TaintManagerEviction") == ["Cancelling deletion of Pod default/a"]


async def test_a_pod_that_comes_to_a_tainted_node_goes() -> None:
    async with running(*CONTROLLERS) as cluster:
        await taint(cluster, TAINT)
        await cluster.create(bound("a"))
        assert await is_leaving(cluster)


async def test_another_pod_of_the_name_has_its_own_time() -> None:
    async with running(*CONTROLLERS) as cluster:
        toleration = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}
        await taint(cluster, TAINT)
        await cluster.create({**bound("a", tolerations=[toleration]), "status": {}})
        await cluster.clock.advance(50)
        await cluster.change("pods", "a", subresource="status", status={"phase": "Succeeded"})
        await cluster.delete("pods", "a")
        await cluster.create(bound("a", tolerations=[toleration]))
        await cluster.clock.advance(50)
        assert not await is_leaving(cluster)
        await cluster.clock.advance(10)
        assert await is_leaving(cluster)


@pytest.mark.parametrize("seconds", [0, 5, 500])
async def test_a_scheduled_deletion_keeps_its_time_if_the_toleration_changes(seconds: int) -> None:
    async with running(*CONTROLLERS) as cluster:
        toleration = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}
        await cluster.create(bound("a", tolerations=[toleration]))
        await taint(cluster, TAINT)
        await cluster.clock.advance(20)
        pod = await cluster.get("pods", "a")
        assert pod is not None
        changed = [{**each, "tolerationSeconds": seconds} for each in pod["spec"]["tolerations"]]
        await cluster.change("pods", "a", spec={**pod["spec"], "tolerations": changed})
        assert not await is_leaving(cluster)
        await cluster.clock.advance(40)
        assert await is_leaving(cluster)


class RefuseDeletions(AdmitAll):
    """An admission plugin that refuses a number of deletions."""

    def __init__(self, count: int) -> None:
        self.left = count

    async def validate(self, attributes: Attributes) -> None:
        if attributes.operation == "DELETE" and self.left:
            self.left -= 1
            raise refused(attributes, "not today")


@pytest.mark.parametrize(("refusals", "leaves"), [(4, True), (5, False)])
async def test_a_refused_deletion_is_tried_five_times_with_one_event(refusals: int, leaves: bool) -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(bound("a"))
        pods = cluster.store("pods")
        pods.backend = replace(pods.backend, admission=RefuseDeletions(refusals))
        await taint(cluster, TAINT)
        await cluster.clock.advance(60)
        assert await is_leaving(cluster) is leaves
        assert await messages(cluster, "TaintManagerEviction") == ["Marking for deletion Pod default/a"]
