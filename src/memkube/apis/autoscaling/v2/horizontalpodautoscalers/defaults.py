"""Defaults of HorizontalPodAutoscalers: minReplicas, a CPU metric and scaling rules (``pkg/apis/autoscaling/v2``)."""

from typing import Final

from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.shown_values import given
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.resource import ROUND_TRIP
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import (
    HorizontalPodAutoscaler,
    HPAScalingPolicy,
    HPAScalingRules,
    MetricSpec,
    MetricTarget,
    ResourceMetricSource,
)

CPU_UTILIZATION: Final = 80
_PERIOD: Final = 15


def default_autoscaler(autoscaler: HorizontalPodAutoscaler) -> None:
    """Set the defaults of an autoscaler in place, and remove the annotations that only autoscaling/v1 uses."""
    spec = autoscaler.spec
    if spec.minReplicas is None:
        spec.minReplicas = 1
    spec.metrics = spec.metrics or [cpu_utilization(CPU_UTILIZATION)]
    if spec.behavior is not None:
        spec.behavior.scaleUp = _with_defaults(spec.behavior.scaleUp, _scale_up())
        spec.behavior.scaleDown = _with_defaults(spec.behavior.scaleDown, _scale_down())
    drop_round_trip_annotations(autoscaler.metadata)


def drop_round_trip_annotations(metadata: ObjectMeta) -> None:
    """Remove the annotations that only autoscaling/v1 uses from an autoscaler's metadata."""
    if not ROUND_TRIP.isdisjoint(metadata.annotations):
        metadata.annotations = {k: v for k, v in metadata.annotations.items() if k not in ROUND_TRIP}


def cpu_utilization(percentage: int) -> MetricSpec:
    """Return the metric spec for a CPU utilization of `percentage`, the only metric in the spec of autoscaling/v1."""
    target = MetricTarget(type="Utilization", averageUtilization=percentage)
    return MetricSpec(type="Resource", resource=ResourceMetricSource(name="cpu", target=target))


def _scale_up() -> HPAScalingRules:
    pods = HPAScalingPolicy(type="Pods", value=4, periodSeconds=_PERIOD)
    percent = HPAScalingPolicy(type="Percent", value=100, periodSeconds=_PERIOD)
    return HPAScalingRules(stabilizationWindowSeconds=0, selectPolicy="Max", policies=[pods, percent])


def _scale_down() -> HPAScalingRules:
    percent = HPAScalingPolicy(type="Percent", value=100, periodSeconds=_PERIOD)
    return HPAScalingRules(selectPolicy="Max", policies=[percent])


def _with_defaults(rules: HPAScalingRules | None, defaults: HPAScalingRules) -> HPAScalingRules:
    """Return an autoscaler's rules for scaling up or down, with defaults for unset fields.

    An explicit empty list of policies is kept; validation rejects it.
    """
    if rules is None:
        return defaults
    kept = {name: value for name in HPAScalingRules.model_fields if (value := given(rules, name)) is not None}
    return defaults.model_copy(update=kept)
