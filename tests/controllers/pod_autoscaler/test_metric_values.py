"""Autoscalers that read custom and external metrics whose values users set."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.controllers.framework.saved_values import METRIC_VALUES
from memkube.controllers.pod_autoscaler.metric_values import MetricValue
from tests.controllers.cluster import READY, Cluster, pod, running
from tests.controllers.pod_autoscaler.autoscalers import (
    NAME,
    PERIOD,
    autoscaler,
    conditions,
    message,
    replicas,
    status,
)
from tests.controllers.workloads import workload

pytestmark = pytest.mark.anyio

SERVICE = {"apiVersion": "v1", "kind": "Service", "name": "web"}


async def put(cluster: Cluster, entry: str, /, **value: Any) -> None:
    """Set a value of a metric, as the control API does."""
    checked = MetricValue.model_validate(value)
    await cluster.registry.shared_state.put(METRIC_VALUES, entry, checked.saved())


async def reconcile(cluster: Cluster, metric: Document, count: int = 2) -> None:
    """Create a Deployment with ready pods and an autoscaler, and wait for the first reconciliation."""
    for number in range(count):
        await cluster.create(pod(f"p{number}", READY))
    status = {"replicas": count}
    await cluster.create({**workload("Deployment", count), "status": status})
    await cluster.create(autoscaler(metrics=[metric]))
    await cluster.clock.advance(PERIOD)


def pods_metric(average: str, **selector: Any) -> Document:
    metric = {"name": "hits", **({"selector": selector} if selector else {})}
    return {"type": "Pods", "pods": {"metric": metric, "target": {"type": "AverageValue", "averageValue": average}}}


def object_metric(**target: str) -> Document:
    source = {"metric": {"name": "hits"}, "describedObject": SERVICE, "target": target}
    return {"type": "Object", "object": source}


def external_metric(selector: dict[str, str] | None = None, **target: str) -> Document:
    metric: dict[str, Any] = {"name": "queue"}
    if selector:
        metric["selector"] = {"matchLabels": selector}
    return {"type": "External", "external": {"metric": metric, "target": target}}


async def test_pods_scale_by_their_average() -> None:
    async with running(NAME) as cluster:
        await put(cluster, "hits", type="Pods", metric="hits", labelSelector="app=web", value="20")
        await reconcile(cluster, pods_metric("10"))
        assert await replicas(cluster) == 4
        (shown,) = (await status(cluster))["currentMetrics"]
        assert shown == {"type": "Pods", "pods": {"metric": {"name": "hits"}, "current": {"averageValue": "20"}}}
        assert await message(cluster, "ScalingActive") == (
            "the HPA was able to successfully calculate a replica count from pods metric hits"
        )


@pytest.mark.parametrize(
    ("metric", "count", "current"),
    [
        (object_metric(type="Value", value="10"), 3, {"value": "15"}),
        (object_metric(type="AverageValue", averageValue="5"), 3, {"averageValue": "7500m"}),
    ],
)
async def test_an_object_scales_by_its_value(metric: Document, count: int, current: Document) -> None:
    async with running(NAME) as cluster:
        await put(cluster, "hits", type="Object", metric="hits", kind="Service", name="web", value="15")
        await reconcile(cluster, metric)
        (shown,) = (await status(cluster))["currentMetrics"]
        assert (await replicas(cluster), shown["object"]["current"]) == (count, current)


@pytest.mark.parametrize(
    ("metric", "count"),
    [
        (external_metric(type="AverageValue", averageValue="10"), 4),
        (external_metric(type="Value", value="10"), 4),
        (external_metric({"queue": "mail"}, type="AverageValue", averageValue="10"), 3),
        (external_metric({"queue": "mail"}, type="Value", value="30"), 2),
    ],
)
async def test_external_values_that_the_selector_matches_are_summed(metric: Document, count: int) -> None:
    async with running(NAME) as cluster:
        await put(cluster, "a", type="External", metric="queue", labels={"queue": "mail"}, value="30")
        await put(cluster, "b", type="External", metric="queue", labels={"queue": "news"}, value="20")
        await put(cluster, "c", type="External", metric="queue", namespace="other", value="500")
        await reconcile(cluster, metric)
        assert await replicas(cluster) == count


@pytest.mark.parametrize(
    ("metric", "reason", "why"),
    [
        (pods_metric("10"), "FailedGetPodsMetric", "the server could not find the metric hits for pods"),
        (
            object_metric(type="Value", value="1"),
            "FailedGetObjectMetric",
            "the server could not find the metric hits for services web",
        ),
        (
            external_metric(type="Value", value="1"),
            "FailedGetExternalMetric",
            "no metrics returned from external metrics API",
        ),
    ],
)
async def test_a_metric_without_a_value_is_reported(metric: Document, reason: str, why: str) -> None:
    async with running(NAME) as cluster:
        await put(cluster, "a", type="Pods", metric="other", value="1")
        await put(cluster, "b", type="External", metric="other", value="1")
        await reconcile(cluster, metric)
        assert (await conditions(cluster))["ScalingActive"] == ("False", reason)
        assert (await message(cluster, "ScalingActive")).endswith(why)
