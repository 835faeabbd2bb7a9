from typing import Any

import pytest

from memkube.apis.autoscaling.v2.horizontalpodautoscalers.columns import PRINTER
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.strategy import HorizontalPodAutoscalerStrategy
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import HorizontalPodAutoscaler

_TARGET = {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}


def autoscaler(**spec: Any) -> HorizontalPodAutoscaler:
    """Return a HorizontalPodAutoscaler of a Deployment, with defaults."""
    document = {
        "metadata": {"name": "web", "namespace": "default", "resourceVersion": "1"},
        "spec": {"scaleTargetRef": _TARGET, "maxReplicas": 5, **spec},
    }
    made = HorizontalPodAutoscaler.from_document(document)
    HorizontalPodAutoscalerStrategy().default(made)
    return made


def problems(**spec: Any) -> list[str]:
    """Return the invalid fields of an autoscaler's spec."""
    errors = HorizontalPodAutoscalerStrategy().validate(autoscaler(**spec))
    return [error.field.removeprefix("spec.") for error in errors]


def test_one_direction_of_a_behavior_brings_the_other() -> None:
    behavior = autoscaler(behavior={"scaleDown": {"selectPolicy": "Disabled"}}).spec.behavior
    percent = {"type": "Percent", "value": 100, "periodSeconds": 15}
    pods = {"type": "Pods", "value": 4, "periodSeconds": 15}
    assert behavior is not None
    assert behavior.to_document() == {
        "scaleUp": {"stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": [pods, percent]},
        "scaleDown": {"selectPolicy": "Disabled", "policies": [percent]},
    }


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        ({"maxReplicas": 0}, ["maxReplicas", "maxReplicas"]),
        ({"minReplicas": 0}, ["minReplicas", "metrics"]),
        ({"minReplicas": 9}, ["maxReplicas"]),
        (
            {"scaleTargetRef": {"kind": "a/b", "name": ""}},
            [f"scaleTargetRef.{n}" for n in ("kind", "name", "apiVersion")],
        ),
        ({"scaleTargetRef": {"kind": "ReplicationController", "name": "a"}}, []),
        ({"scaleTargetRef": {**_TARGET, "apiVersion": "a/b/c"}}, ["scaleTargetRef.apiVersion"]),
        ({"behavior": {"scaleUp": {"policies": []}}}, ["behavior.scaleUp.policies"]),
        (
            {"behavior": {"scaleUp": {"stabilizationWindowSeconds": 3601}}},
            ["behavior.scaleUp.stabilizationWindowSeconds"],
        ),
        ({"behavior": {"scaleUp": {"tolerance": "-1"}}}, ["behavior.scaleUp.tolerance"]),
        (
            {"behavior": {"scaleUp": {"policies": [{"type": "Odd", "value": 0, "periodSeconds": 1801}]}}},
            [f"behavior.scaleUp.policies[0].{name}" for name in ("type", "value", "periodSeconds")],
        ),
    ],
)
def test_an_autoscaler_knows_what_to_scale_and_how_far(spec: dict[str, Any], fields: list[str]) -> None:
    assert problems(**spec) == fields


_METRIC = {"name": "rps"}
_AVERAGE = {"type": "AverageValue", "averageValue": "1"}


@pytest.mark.parametrize(
    ("metric", "fields"),
    [
        ({"type": "Pods", "pods": {"metric": _METRIC, "target": _AVERAGE}}, []),
        ({"type": "Pods"}, ["pods"]),
        ({"type": "Odd"}, ["type", "type"]),
        ({"type": "Pods", "pods": {"metric": {"name": "a/b"}, "target": _AVERAGE}}, ["pods.metric.name"]),
        ({"type": "Resource", "resource": {"name": "", "target": _AVERAGE}}, ["resource.name"]),
        (
            {"type": "Resource", "resource": {"name": "cpu", "target": {**_AVERAGE, "averageUtilization": 0}}},
            ["resource.target.averageUtilization", "resource.target.averageValue"],
        ),
        (
            {"type": "ContainerResource", "containerResource": {"name": "odd", "container": "A", "target": _AVERAGE}},
            ["containerResource.name", "containerResource.name", "containerResource.container"],
        ),
        (
            {"type": "External", "external": {"metric": _METRIC, "target": {**_AVERAGE, "value": "1"}}},
            ["external.target.value"],
        ),
        (
            {"type": "Object", "object": {"describedObject": _TARGET, "metric": _METRIC, "target": {"type": "Value"}}},
            ["object.target.averageValue"],
        ),
        (
            {
                "type": "Pods",
                "pods": {"metric": _METRIC, "target": _AVERAGE},
                "resource": {"name": "cpu", "target": _AVERAGE},
            },
            ["resource"],
        ),
    ],
)
def test_a_metric_has_one_source_and_a_target(metric: dict[str, Any], fields: list[str]) -> None:
    assert problems(metrics=[metric]) == [f"metrics[0].{field}" for field in fields]


def test_what_was_accepted_once_may_stay() -> None:
    old, new = autoscaler(minReplicas=0), autoscaler(minReplicas=0)
    old.spec.scaleTargetRef.apiVersion = new.spec.scaleTargetRef.apiVersion = "v1"
    fields = [error.field for error in HorizontalPodAutoscalerStrategy().validate_update(new, old)]
    assert fields == ["spec.metrics"]


def test_two_metrics_are_shown_and_the_rest_are_counted() -> None:
    pods = {"type": "Pods", "pods": {"metric": _METRIC, "target": _AVERAGE}}
    cpu = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}}
    scaler = autoscaler(metrics=[pods, cpu, pods, pods]).to_document()
    scaler["status"]["currentMetrics"] = [
        {"type": "Pods", "pods": {"metric": _METRIC, "current": {"averageValue": "7"}}}
    ]
    assert PRINTER.row(scaler).cells[2] == "7/1, cpu: <unknown>/60% + 2 more..."
