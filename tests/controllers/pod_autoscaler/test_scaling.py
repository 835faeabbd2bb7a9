"""Autoscalers of running pods, whose resource usage is set by container rules."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.controllers.framework.runtime import RestoredState
from memkube.controllers.kubelet.containers.behavior import ContainerRule
from tests.controllers.cluster import Cluster, running
from tests.controllers.pod_autoscaler.autoscalers import NAME, PERIOD, autoscaler, conditions, replicas, status
from tests.controllers.workloads import reports, workload

pytestmark = pytest.mark.anyio

UTILIZATION = "cpu resource utilization (percentage of request)"
CONTAINER = {"name": "app", "image": "nginx:1.27", "resources": {"requests": {"cpu": "1", "memory": "100Mi"}}}
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [CONTAINER]}}


def resource(name: str = "cpu", kind: str = "resource", **target: Any) -> Document:
    """Return a metric of a resource, for the pods or for the container ``app``."""
    source = {"name": name, "target": target, **({"container": "app"} if kind == "containerResource" else {})}
    return {"type": kind[0].upper() + kind[1:], kind: source}


def utilization(percent: int, **changes: Any) -> Document:
    return resource(type="Utilization", averageUtilization=percent, **changes)


@asynccontextmanager
async def scaled(count: int = 2, cpu: str = "500m", **spec: Any) -> AsyncIterator[Cluster]:
    """Run a Deployment of pods that have been ready for ten minutes, and an autoscaler of them."""
    controllers = (NAME, "deployment-controller", "replicaset-controller", "scheduler", "kubelet")
    async with running(*controllers, "node-lifecycle-controller") as cluster:
        use(cluster, cpu)
        await cluster.create(workload("Deployment", count, template=TEMPLATE))
        await cluster.clock.advance(600)
        await cluster.create(autoscaler(**spec))
        yield cluster


def use(cluster: Cluster, cpu: str, memory: str = "50Mi") -> None:
    """Set the resource usage of each container by a rule."""
    assert cluster.manager.kubelet is not None
    rule = ContainerRule.model_validate({"labelSelector": "app=web", "cpu": cpu, "memory": memory})
    cluster.manager.kubelet.rules.put("use", rule)


async def test_a_busy_workload_is_scaled_up_and_an_idle_one_down() -> None:
    async with scaled(2, "900m", metrics=[utilization(50)]) as cluster:
        await cluster.clock.advance(PERIOD)
        assert await replicas(cluster) == 4
        assert await reports(cluster, "SuccessfulRescale") == [f"New size: 4; reason: {UTILIZATION} above target"]
        use(cluster, "100m")
        await cluster.clock.advance(300)
        assert await replicas(cluster) == 4
        assert (await conditions(cluster))["AbleToScale"] == ("True", "ScaleDownStabilized")
        await cluster.clock.advance(3 * PERIOD)
        assert await replicas(cluster) == 1


async def test_the_status_shows_what_the_pods_use() -> None:
    async with scaled(2, "500m", metrics=[utilization(50)]) as cluster:
        await cluster.clock.advance(PERIOD)
        found = await status(cluster)
        current = {"averageUtilization": 50, "averageValue": "500m"}
        assert found["currentMetrics"] == [{"type": "Resource", "resource": {"name": "cpu", "current": current}}]
        assert (found["currentReplicas"], found["desiredReplicas"]) == (2, 2)
        assert await conditions(cluster) == {
            "AbleToScale": ("True", "ReadyForNewScale"),
            "ScalingActive": ("True", "ValidMetricFound"),
            "ScalingLimited": ("False", "DesiredWithinRange"),
        }


@pytest.mark.parametrize(
    ("metric", "current"),
    [
        (resource("memory", type="AverageValue", averageValue="20Mi"), {"averageValue": "50Mi"}),
        (utilization(25, kind="containerResource"), {"averageUtilization": 50, "averageValue": "500m"}),
    ],
)
async def test_other_targets_scale_too(metric: Document, current: Document) -> None:
    async with scaled(2, metrics=[metric]) as cluster:
        await cluster.clock.advance(PERIOD)
        assert await replicas(cluster) == 4
        (shown,) = (await status(cluster))["currentMetrics"]
        assert next(shown[kind]["current"] for kind in ("resource", "containerResource") if kind in shown) == current


async def test_a_tolerance_of_the_behavior_counts() -> None:
    behavior = {"scaleUp": {"tolerance": "0.5"}}
    async with scaled(2, "700m", metrics=[utilization(50)], behavior=behavior) as cluster:
        await cluster.clock.advance(PERIOD)
        assert await replicas(cluster) == 2


async def test_policies_limit_each_step() -> None:
    policies = [{"type": "Pods", "value": 1, "periodSeconds": 60}]
    async with scaled(2, "1", metrics=[utilization(20)], behavior={"scaleUp": {"policies": policies}}) as cluster:
        await cluster.clock.advance(PERIOD)
        assert await replicas(cluster) == 3
        assert (await conditions(cluster))["ScalingLimited"] == ("True", "ScaleUpLimit")
        await cluster.clock.advance(3 * PERIOD)
        assert await replicas(cluster) == 3
        await cluster.clock.advance(PERIOD)
        assert await replicas(cluster) == 4


async def test_one_valid_metric_scales_up_but_not_down() -> None:
    missing = {
        "type": "Pods",
        "pods": {"metric": {"name": "hits"}, "target": {"type": "AverageValue", "averageValue": "1"}},
    }
    async with scaled(2, "900m", metrics=[utilization(50), missing]) as cluster:
        await cluster.clock.advance(PERIOD)
        assert await replicas(cluster) == 4
        use(cluster, "10m")
        await cluster.clock.advance(600)
        assert await replicas(cluster) == 4
        assert (await conditions(cluster))["ScalingActive"] == ("False", "FailedGetPodsMetric")


async def test_a_new_manager_continues_with_the_saved_history() -> None:
    async with scaled(4, "100m", metrics=[utilization(50)]) as cluster:
        await cluster.clock.advance(4 * PERIOD)
        saved = cluster.manager.saved()
        await cluster.manager.stop()
        await cluster.manager.begin(RestoredState(saved))
        use(cluster, "100m")
        await cluster.clock.advance(225)
        assert await replicas(cluster) == 4
        await cluster.clock.advance(3 * PERIOD)
        assert await replicas(cluster) == 1
