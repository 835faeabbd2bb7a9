from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import running
from tests.controllers.pod_autoscaler.autoscalers import (
    NAME,
    PERIOD,
    autoscaler,
    conditions,
    message,
    replicas,
    status,
)
from tests.controllers.workloads import reports, workload

pytestmark = pytest.mark.anyio

GOT_SCALE = ("True", "SucceededGetScale")
UNABLE = "the HPA was unable to compute the replica count: "
NO_RESOURCE_METRICS = (
    "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource "
    "metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)"
)


async def test_an_autoscaler_is_reconciled_every_fifteen_seconds() -> None:
    async with running(NAME) as cluster:
        await cluster.create(workload("Deployment", 12))
        await cluster.create(autoscaler())
        await cluster.clock.advance(PERIOD - 1)
        assert await replicas(cluster) == 12
        await cluster.clock.advance(1)
        assert await replicas(cluster) == 10
        await cluster.change("deployments", "web", spec=workload("Deployment", 11)["spec"])
        await cluster.clock.advance(PERIOD)
        assert await replicas(cluster) == 10


@pytest.mark.parametrize(
    ("count", "bound", "side"), [(12, 10, "above Spec.MaxReplicas"), (1, 3, "below Spec.MinReplicas")]
)
async def test_the_bounds_hold_without_metrics(count: int, bound: int, side: str) -> None:
    async with running(NAME) as cluster:
        await cluster.create(workload("Deployment", count))
        await cluster.create(autoscaler(minReplicas=3))
        await cluster.clock.advance(PERIOD)
        found = await status(cluster)
        assert (found["currentReplicas"], found["desiredReplicas"], found["currentMetrics"]) == (count, bound, None)
        assert (await conditions(cluster))["AbleToScale"] == ("True", "SucceededRescale")
        text = f"New size: {bound}; reason: Current number of replicas {side}"
        assert await reports(cluster, "SuccessfulRescale") == [text]


async def test_metrics_that_are_not_evaluated_have_no_manager() -> None:
    async with running(NAME) as cluster:
        await cluster.create(workload("Deployment", 1))
        await cluster.create(autoscaler(minReplicas=3))
        await cluster.clock.advance(PERIOD)
        found = await cluster.get("horizontalpodautoscalers", "web")
        assert found is not None
        (written,) = [each for each in found["metadata"]["managedFields"] if each.get("subresource") == "status"]
        assert {*written["fieldsV1"]["f:status"]} == {
            "f:conditions",
            "f:currentReplicas",
            "f:desiredReplicas",
            "f:lastScaleTime",
        }


async def test_a_target_without_replicas_is_not_scaled() -> None:
    async with running(NAME) as cluster:
        await cluster.create(workload("Deployment", 0))
        await cluster.create(autoscaler())
        await cluster.clock.advance(PERIOD)
        found = {"AbleToScale": GOT_SCALE, "ScalingActive": ("False", "ScalingDisabled")}
        assert (await conditions(cluster), await replicas(cluster)) == (found, 0)


@pytest.mark.parametrize(
    ("kind", "group", "why"),
    [
        ("Deployment", "apps/v1", 'deployments.apps "web" not found'),
        ("Widget", "example.com/v1", 'no matches for kind "Widget" in group "example.com"'),
        ("Job", "batch/v1", "the server could not find the requested resource"),
    ],
)
async def test_a_target_without_a_scale_is_reported(kind: str, group: str, why: str) -> None:
    async with running(NAME) as cluster:
        await cluster.create(autoscaler(kind=kind, group=group))
        await cluster.clock.advance(PERIOD)
        assert await conditions(cluster) == {"AbleToScale": ("False", "FailedGetScale")}
        text = f"the HPA controller was unable to get the target's current scale: {why}"
        assert await message(cluster, "AbleToScale") == text
        assert await reports(cluster, "FailedGetScale") == [why]


@pytest.mark.parametrize(
    ("metric", "reason", "why"),
    [
        (None, "FailedGetResourceMetric", NO_RESOURCE_METRICS),
        (
            {
                "type": "Pods",
                "pods": {"metric": {"name": "hits"}, "target": {"type": "AverageValue", "averageValue": "1"}},
            },
            "FailedGetPodsMetric",
            (
                "unable to get metric hits: unable to fetch metrics from custom metrics API: no custom metrics API "
                "(custom.metrics.k8s.io) registered"
            ),
        ),
        (
            {
                "type": "External",
                "external": {
                    "metric": {"name": "queue", "selector": {"matchLabels": {"a": "b"}}},
                    "target": {"type": "Value", "value": "1"},
                },
            },
            "FailedGetExternalMetric",
            (
                "unable to get external metric default/queue/&LabelSelector{MatchLabels:map[string]string{a: b,},"
                "MatchExpressions:[]LabelSelectorRequirement{},}: unable to fetch metrics from external metrics API: "
                "the server could not find the requested resource (get queue.external.metrics.k8s.io)"
            ),
        ),
    ],
)
async def test_missing_metrics_are_reported(metric: Document | None, reason: str, why: str) -> None:
    async with running(NAME) as cluster:
        await cluster.create(workload("Deployment", 2))
        spec: dict[str, Any] = {} if metric is None else {"metrics": [metric]}
        await cluster.create(autoscaler(**spec))
        await cluster.clock.advance(PERIOD)
        assert await conditions(cluster) == {"AbleToScale": GOT_SCALE, "ScalingActive": ("False", reason)}
        assert await message(cluster, "ScalingActive") == UNABLE + why
        assert await reports(cluster, reason) == [why]
        (text,) = await reports(cluster, "FailedComputeMetricsReplicas")
        assert text.startswith("invalid metrics (1 invalid out of 1), first error is: failed to get")
        assert (await status(cluster))["currentMetrics"] == [{"type": ""}]


async def test_autoscalers_of_the_same_pods_are_ambiguous() -> None:
    async with running(NAME, "deployment-controller", "replicaset-controller") as cluster:
        await cluster.create(workload("Deployment", 1))
        await cluster.create(autoscaler())
        await cluster.create(autoscaler("other"))
        await cluster.clock.advance(2 * PERIOD)
        text = "pods by selector app=web are controlled by multiple HPAs: [default/other default/web]"
        for name in ("web", "other"):
            assert (await conditions(cluster, name))["ScalingActive"] == ("False", "AmbiguousSelector")
            assert await message(cluster, "ScalingActive", name) == text
        await cluster.delete("horizontalpodautoscalers", "other")
        await cluster.clock.advance(PERIOD)
        assert (await conditions(cluster))["ScalingActive"] == ("False", "FailedGetResourceMetric")


async def test_a_transition_time_changes_with_the_status_of_its_condition() -> None:
    async with running(NAME) as cluster:
        await cluster.create(autoscaler())
        await cluster.clock.advance(PERIOD)
        before = (await status(cluster))["conditions"][0]["lastTransitionTime"]
        await cluster.clock.advance(PERIOD)
        assert (await status(cluster))["conditions"][0]["lastTransitionTime"] == before
        await cluster.create(workload("Deployment", 1))
        await cluster.clock.advance(PERIOD)
        assert (await status(cluster))["conditions"][0]["lastTransitionTime"] != before


async def test_a_refused_change_is_reported() -> None:
    async with running(NAME) as cluster:
        await cluster.create(workload("Deployment", 12))
        await cluster.create(autoscaler())
        for document in refusing_policy("apps", "v1", "deployments/scale"):
            await cluster.create(document)
        await cluster.clock.advance(PERIOD)
        assert (await conditions(cluster))["AbleToScale"] == ("False", "FailedUpdateScale")
        (text,) = await reports(cluster, "FailedRescale")
        assert text.startswith("New size: 10; reason: Current number of replicas above Spec.MaxReplicas; error: ")
        assert (await status(cluster))["desiredReplicas"] == 0


def refusing_policy(group: str, version: str, resource: str) -> list[Document]:
    """Return an admission policy that refuses updates of a resource, and its binding."""
    rule = {"apiGroups": [group], "apiVersions": [version], "resources": [resource], "operations": ["UPDATE"]}
    spec = {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "false"}]}
    common = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": "refuse"}}
    binding = {"policyName": "refuse", "validationActions": ["Deny"]}
    return [
        {**common, "kind": "ValidatingAdmissionPolicy", "spec": spec},
        {**common, "kind": "ValidatingAdmissionPolicyBinding", "spec": binding},
    ]
