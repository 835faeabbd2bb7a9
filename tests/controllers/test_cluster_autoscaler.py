"""The cluster autoscaler: scale-up for unschedulable pods, and removal of unneeded nodes."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.controllers.nodes.pools import read_pools
from memkube.controllers.options import ControllerOptions
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import Cluster, running
from tests.controllers.nodes import machines, node, taints

pytestmark = pytest.mark.anyio
CONTROLLERS = ("kubelet", "node-lifecycle", "scheduler", "cluster-autoscaler", "replicaset", "disruption", "pod-gc")
SMALL: dict[str, Any] = {"name": "small", "count": 0, "capacity": {"cpu": 2}, "autoscaling": {"max": 3}}


def scaled(*pools: dict[str, Any], nodes: int = 0) -> ControllerOptions:
    return ControllerOptions(nodes, node_pools=read_pools(pools))


def replicas(count: int, cpu: str = "1", name: str = "web", **spec: Any) -> Document:
    container = {"name": "app", "image": "nginx:1", "resources": {"requests": {"cpu": cpu}}}
    pod = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container], **spec}}
    selector = {"matchLabels": {"app": name}}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name},
        "spec": {"replicas": count, "selector": selector, "template": pod},
    }


async def scale(cluster: Cluster, count: int, name: str = "web") -> None:
    found = await cluster.get("replicasets", name)
    assert found is not None
    await cluster.change("replicasets", name, spec={**found["spec"], "replicas": count})


async def told(cluster: Cluster, reason: str, kind: str = "", namespace: str = "default") -> list[str]:
    """Return the messages of the Events with a reason about objects of a kind."""
    events = [event.document for event in (await cluster.store("events").list(namespace, ListOptions())).items]
    return [
        event["message"]
        for event in events
        if event["reason"] == reason and kind in ("", event["involvedObject"]["kind"])
    ]


def names(cluster: Cluster) -> list[str]:
    return [machine.name for machine in machines(cluster)]


async def where(cluster: Cluster) -> list[str]:
    """Return the nodes of the pods, sorted; "" for a pod without a node."""
    pods = (await cluster.store("pods").list("default", ListOptions())).items
    return sorted(pod.document["spec"].get("nodeName", "") for pod in pods)


async def test_pods_that_fit_nowhere_get_new_nodes() -> None:
    async with running(*CONTROLLERS, options=scaled(SMALL)) as cluster:
        await cluster.create(replicas(3))
        await cluster.clock.advance(20)
        assert names(cluster) == ["small-0", "small-1"]
        assert await where(cluster) == ["small-0", "small-0", "small-1"]
        message = "pod triggered scale-up: [{small 0->2 (max: 3)}]"
        assert await told(cluster, "TriggeredScaleUp") == [message] * 3
        assert sorted(await told(cluster, "ScaledUpGroup", "ConfigMap", "kube-system")) == [
            "Scale-up: group small size set to 2 instead of 0 (max: 3)",
            "Scale-up: setting group small size to 2 instead of 0 (max: 3)",
        ]


async def test_a_pool_does_not_grow_past_its_maximum() -> None:
    async with running(*CONTROLLERS, options=scaled(SMALL)) as cluster:
        await cluster.create(replicas(9))
        await cluster.clock.advance(60)
        assert len(names(cluster)) == 3
        assert set(await told(cluster, "NotTriggerScaleUp")) == {
            "pod didn't trigger scale-up: 1 max node group size reached"
        }


async def test_why_no_pool_helps_is_told_to_the_pod() -> None:
    tainted = {**SMALL, "name": "db", "taints": [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]}
    async with running(*CONTROLLERS, options=scaled(SMALL, tainted)) as cluster:
        await cluster.create(replicas(1, "3"))
        await cluster.clock.advance(20)
        assert await told(cluster, "NotTriggerScaleUp") == [
            "pod didn't trigger scale-up: 1 Insufficient cpu, 1 node(s) had untolerated taint(s)"
        ]
        assert names(cluster) == []


async def test_the_pool_that_wastes_least_grows() -> None:
    big = {**SMALL, "name": "big", "capacity": {"cpu": 16}}
    async with running(*CONTROLLERS, options=scaled(big, SMALL)) as cluster:
        await cluster.create(replicas(2))
        await cluster.clock.advance(20)
        assert names(cluster) == ["small-0"]


async def test_a_pool_without_limits_is_left_alone() -> None:
    fixed = {"name": "fixed", "count": 1, "capacity": {"cpu": 2}}
    async with running(*CONTROLLERS, options=scaled(fixed)) as cluster:
        await cluster.create(replicas(3))
        await cluster.clock.advance(1200)
        assert names(cluster) == ["fixed-0"]
        assert await told(cluster, "NotTriggerScaleUp") == []


async def test_an_empty_node_is_removed_ten_minutes_after_it_is_not_needed() -> None:
    async with running(*CONTROLLERS, options=scaled(SMALL)) as cluster:
        await cluster.create(replicas(2))
        await cluster.clock.advance(20)
        await scale(cluster, 0)
        await cluster.clock.advance(590)
        assert names(cluster) == ["small-0"]
        await cluster.clock.advance(60)
        assert names(cluster) == []
        assert await told(cluster, "ScaleDown", "Node") == [
            "marked the node as toBeDeleted/unschedulable",
            "nodes removed by cluster autoscaler",
        ]
        assert await told(cluster, "ScaleDownEmpty", namespace="kube-system") == [
            'Scale-down: removing empty node "small-0"',
            "Scale-down: empty node small-0 removed",
        ]


async def test_pods_of_an_underused_node_move_to_others() -> None:
    async with running(*CONTROLLERS, options=scaled({**SMALL, "count": 2})) as cluster:
        await cluster.create(replicas(2, "500m", topologySpreadConstraints=[SPREAD]))
        assert await where(cluster) == ["small-0", "small-1"]
        await cluster.clock.advance(700)
        assert names(cluster) == ["small-1"]
        assert await told(cluster, "ScaleDown", "Pod") == ["deleting pod for node scale down"]
        assert await where(cluster) == ["small-1", "small-1"]
        (first, second) = await told(cluster, "ScaleDown", namespace="kube-system")
        start = "Scale-down: removing node small-0, utilization: {0.25 0 0 0 cpu 0.25}, pods to reschedule: web-"
        assert first.startswith(start)
        assert second == "Scale-down: node small-0 removed with drain"


SPREAD: dict[str, Any] = {
    "maxSkew": 1,
    "topologyKey": "kubernetes.io/hostname",
    "whenUnsatisfiable": "ScheduleAnyway",
    "labelSelector": {"matchLabels": {"app": "web"}},
}


@pytest.mark.parametrize(
    "pod",
    [
        {"metadata": {"annotations": {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}}},
        {"spec": {"volumes": [{"name": "data", "emptyDir": {}}]}},
    ],
    ids=["annotated", "with local storage"],
)
async def test_a_node_with_a_pod_that_must_not_move_stays(pod: dict[str, Any]) -> None:
    async with running(*CONTROLLERS, options=scaled({**SMALL, "count": 2})) as cluster:
        made = replicas(1, "100m")
        template = made["spec"]["template"]
        template["metadata"] |= pod.get("metadata", {})
        template["spec"] |= pod.get("spec", {})
        await cluster.create(made)
        (used,) = await where(cluster)
        await cluster.clock.advance(1500)
        assert names(cluster) == [used]


async def test_a_pod_without_a_controller_keeps_its_node_unless_it_is_safe_to_evict() -> None:
    async with running(*CONTROLLERS, options=scaled({**SMALL, "count": 2})) as cluster:
        spec = replicas(1, "100m")["spec"]["template"]["spec"]
        await cluster.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alone"}, "spec": spec})
        await cluster.clock.advance(1500)
        assert len(names(cluster)) == 1
        await machines(cluster).add("small")
        safe = {"annotations": {"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}}
        await cluster.change("pods", "alone", metadata=safe)
        await cluster.clock.advance(1500)
        assert (names(cluster), await where(cluster)) == ([], [])


async def test_a_budget_that_allows_no_disruption_keeps_a_node() -> None:
    async with running(*CONTROLLERS, options=scaled({**SMALL, "count": 2})) as cluster:
        spec = {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "web"}}}
        await cluster.create(
            {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}, "spec": spec}
        )
        await cluster.create(replicas(2, "500m", topologySpreadConstraints=[SPREAD]))
        await cluster.clock.advance(1500)
        assert len(names(cluster)) == 2


async def test_an_annotation_keeps_a_node() -> None:
    async with running(*CONTROLLERS, options=scaled({**SMALL, "count": 2})) as cluster:
        disabled = {"annotations": {"cluster-autoscaler.kubernetes.io/scale-down-disabled": "true"}}
        await cluster.change("nodes", "small-1", "", metadata=disabled)
        await cluster.clock.advance(1500)
        assert names(cluster) == ["small-1"]


async def test_a_pool_does_not_shrink_below_its_minimum() -> None:
    pool = {**SMALL, "count": 3, "autoscaling": {"min": 2, "max": 3}}
    async with running(*CONTROLLERS, options=scaled(pool)) as cluster:
        await cluster.clock.advance(1500)
        assert len(names(cluster)) == 2


async def test_nodes_are_not_removed_in_the_ten_minutes_after_a_scale_up() -> None:
    async with running(
        *CONTROLLERS, options=scaled({**SMALL, "count": 1}, {**SMALL, "name": "big", "capacity": {"cpu": 8}})
    ) as cluster:
        await cluster.clock.advance(590)
        await cluster.create(replicas(1, "6"))
        await cluster.clock.advance(500)
        assert names(cluster) == ["small-0", "big-0"]
        await cluster.clock.advance(200)
        assert names(cluster) == ["big-0"]


async def test_a_node_that_is_not_needed_is_marked_before_it_may_be_removed() -> None:
    pool = {**SMALL, "count": 1, "autoscaling": {"min": 1, "max": 3}}
    async with running(*CONTROLLERS, options=scaled(pool)) as cluster:
        await cluster.clock.advance(60)
        assert "DeletionCandidateOfClusterAutoscaler:PreferNoSchedule" in await taints(cluster, "small-0")
        await cluster.create(replicas(2))
        await cluster.clock.advance(60)
        assert await taints(cluster, "small-0") == set()
        assert (await node(cluster, "small-0"))["spec"].get("unschedulable") is None


async def test_the_status_has_the_sizes_of_the_pools() -> None:
    async with running(*CONTROLLERS, options=scaled(SMALL)) as cluster:
        await cluster.create(replicas(1))
        await cluster.clock.advance(60)
        found = await cluster.get("configmaps", "cluster-autoscaler-status", "kube-system")
        assert found is not None
        assert "cloudProviderTarget: 1\n    minSize: 0\n    maxSize: 3" in found["data"]["status"]


async def test_a_node_whose_pods_cannot_be_evicted_is_kept_and_freed_of_its_taint() -> None:
    async with running(*CONTROLLERS, options=scaled({**SMALL, "count": 2})) as cluster:
        await cluster.create(replicas(2, "500m", topologySpreadConstraints=[SPREAD]))
        await cluster.clock.advance(612)
        assert "ToBeDeletedByClusterAutoscaler:NoSchedule" in await taints(cluster, "small-0")
        spec = {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "web"}}}
        budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}, "spec": spec}
        await cluster.create(budget)
        await cluster.clock.advance(200)
        assert "ToBeDeletedByClusterAutoscaler:NoSchedule" not in await taints(cluster, "small-0")
        assert await told(cluster, "ScaleDownFailed", "Pod") == ["failed to delete pod for ScaleDown"]
        (failed,) = await told(cluster, "ScaleDownFailed", "Node")
        assert failed.startswith("failed to drain and delete node: Failed to drain node /small-0, due to following")


async def test_pods_of_daemon_sets_do_not_keep_a_node() -> None:
    pool = {**SMALL, "count": 1}
    async with running(*CONTROLLERS, "daemonset", options=scaled(pool)) as cluster:
        made = replicas(1, "100m", name="agent")
        del made["spec"]["replicas"]
        await cluster.create({**made, "kind": "DaemonSet"})
        assert await where(cluster) == ["small-0"]
        await cluster.clock.advance(700)
        assert names(cluster) == []


async def test_a_new_node_has_room_for_the_pods_of_daemon_sets() -> None:
    pool = {**SMALL, "count": 1, "autoscaling": {"min": 1, "max": 3}}
    async with running(*CONTROLLERS, "daemonset", options=scaled(pool)) as cluster:
        made = replicas(1, "100m", name="agent")
        del made["spec"]["replicas"]
        await cluster.create({**made, "kind": "DaemonSet"})
        await cluster.create(replicas(3))
        await cluster.clock.advance(60)
        assert names(cluster) == ["small-0", "small-1", "small-2"]


async def test_pods_of_low_priority_do_not_trigger_a_scale_up() -> None:
    async with running(*CONTROLLERS, options=scaled(SMALL)) as cluster:
        low = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "low"}, "value": -11}
        await cluster.create(low)
        await cluster.create(replicas(1, priorityClassName="low"))
        await cluster.clock.advance(60)
        assert names(cluster) == []


async def test_pods_that_have_ended_do_not_keep_a_node() -> None:
    async with running(*CONTROLLERS, "job", options=scaled(SMALL)) as cluster:
        template = replicas(1, restartPolicy="Never")["spec"]["template"]
        template["spec"]["containers"][0] |= {"image": "busybox", "command": ["sleep", "5"]}
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "once"}, "spec": {"template": template}}
        await cluster.create(job)
        await cluster.clock.advance(60)
        assert names(cluster) == ["small-0"]
        await cluster.clock.advance(700)
        assert names(cluster) == []
