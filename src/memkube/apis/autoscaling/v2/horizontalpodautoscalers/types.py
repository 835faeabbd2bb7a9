"""HorizontalPodAutoscalers: how many replicas metrics call for."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Quantity, Time


class CrossVersionObjectReference(ApiModel):
    """Names an object, whatever its version."""

    kind: Annotated[str, Required()] = Field(default="", description="Kind of the object.")
    name: Annotated[str, Required()] = Field(default="", description="Name of the object.")
    apiVersion: str = Field(default="", description="Group and version of the object.")


class MetricTarget(ApiModel):
    """The value of a metric that is aimed at."""

    type: Annotated[str, Named("v2.MetricTargetType"), Required()] = Field(
        default="", description="Which of the fields counts: Utilization, Value or AverageValue."
    )
    value: Quantity | None = Field(default=None, description="A value by itself.")
    averageValue: Quantity | None = Field(default=None, description="A value for each pod, on average.")
    averageUtilization: Int32 | None = Field(
        default=None, description="Percentage of what the pods request, on average."
    )


class MetricIdentifier(ApiModel):
    """Which metric is meant."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the metric.")
    selector: LabelSelector | None = Field(default=None, description="Labels of the metric.")


class ObjectMetricSource(ApiModel):
    """Scales by a metric about one object."""

    describedObject: Annotated[CrossVersionObjectReference, Required()] = Field(
        default_factory=CrossVersionObjectReference, description="The object that the metric is about."
    )
    target: Annotated[MetricTarget, Required()] = Field(
        default_factory=MetricTarget, description="The value that is aimed at."
    )
    metric: Annotated[MetricIdentifier, Required()] = Field(default_factory=MetricIdentifier, description="The metric.")


class PodsMetricSource(ApiModel):
    """Scales by a metric of the pods, on average."""

    metric: Annotated[MetricIdentifier, Required()] = Field(default_factory=MetricIdentifier, description="The metric.")
    target: Annotated[MetricTarget, Required()] = Field(
        default_factory=MetricTarget, description="The value that is aimed at."
    )


class ResourceMetricSource(ApiModel):
    """Scales by a resource that all containers use."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(default="", description="Name of the resource.")
    target: Annotated[MetricTarget, Required()] = Field(
        default_factory=MetricTarget, description="The value that is aimed at."
    )


class ContainerResourceMetricSource(ApiModel):
    """Scales by a resource that one container of each pod uses."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(default="", description="Name of the resource.")
    target: Annotated[MetricTarget, Required()] = Field(
        default_factory=MetricTarget, description="The value that is aimed at."
    )
    container: Annotated[str, Required()] = Field(default="", description="Name of the container.")


class ExternalMetricSource(ApiModel):
    """Scales by a metric from outside of the cluster."""

    metric: Annotated[MetricIdentifier, Required()] = Field(default_factory=MetricIdentifier, description="The metric.")
    target: Annotated[MetricTarget, Required()] = Field(
        default_factory=MetricTarget, description="The value that is aimed at."
    )


class MetricSpec(ApiModel):
    """One metric to scale by."""

    type: Annotated[str, Named("v2.MetricSourceType"), Required()] = Field(
        default="", description="Which of the fields counts: Object, Pods, Resource, ContainerResource or External."
    )
    object: ObjectMetricSource | None = Field(default=None, description="A metric about one object.")
    pods: PodsMetricSource | None = Field(default=None, description="A metric of the pods, on average.")
    resource: ResourceMetricSource | None = Field(default=None, description="A resource that all containers use.")
    containerResource: ContainerResourceMetricSource | None = Field(
        default=None, description="A resource that one container of each pod uses."
    )
    external: ExternalMetricSource | None = Field(default=None, description="A metric from outside of the cluster.")


class HPAScalingPolicy(ApiModel):
    """How much may change in a time."""

    type: Annotated[str, Named("v2.HPAScalingPolicyType"), Required()] = Field(
        default="", description="What is counted: Pods or Percent."
    )
    value: Annotated[Int32, Required()] = Field(default=0, description="How much may change.")
    periodSeconds: Annotated[Int32, Required()] = Field(
        default=0, description="The time in seconds, half an hour at most."
    )


class HPAScalingRules(ApiModel):
    """How fast to scale in one direction."""

    stabilizationWindowSeconds: Int32 | None = Field(
        default=None, description="Seconds that are looked back on, so that the scale does not flap."
    )
    selectPolicy: Annotated[str | None, Named("v2.ScalingPolicySelect")] = Field(
        default=None, description="Which policy counts where there are several: Max, Min or Disabled."
    )
    policies: list[HPAScalingPolicy] = Field(default_factory=list, description="How much may change in a time.")
    tolerance: Quantity | None = Field(default=None, description="How far a metric may be off before anything is done.")


class HorizontalPodAutoscalerBehavior(ApiModel):
    """How fast to scale."""

    scaleUp: HPAScalingRules | None = Field(default=None, description="How fast to add pods.")
    scaleDown: HPAScalingRules | None = Field(default=None, description="How fast to remove pods.")


class HorizontalPodAutoscalerSpec(ApiModel):
    """What is wanted."""

    scaleTargetRef: Annotated[CrossVersionObjectReference, Required()] = Field(
        default_factory=CrossVersionObjectReference, description="The object that is scaled."
    )
    minReplicas: Int32 | None = Field(
        default=None, description="How many pods there are at least; one where nothing is said."
    )
    maxReplicas: Annotated[Int32, Required()] = Field(default=0, description="How many pods there are at most.")
    metrics: list[MetricSpec] = Field(
        default_factory=list, description="What to scale by; the one that wants most counts."
    )
    behavior: HorizontalPodAutoscalerBehavior | None = Field(default=None, description="How fast to scale.")


class MetricValueStatus(ApiModel):
    """The value of a metric that was seen."""

    value: Quantity | None = Field(default=None, description="A value by itself.")
    averageValue: Quantity | None = Field(default=None, description="A value for each pod, on average.")
    averageUtilization: Int32 | None = Field(
        default=None, description="Percentage of what the pods request, on average."
    )


class ObjectMetricStatus(ApiModel):
    """A metric about one object, as it was seen."""

    metric: Annotated[MetricIdentifier, Required()] = Field(default_factory=MetricIdentifier, description="The metric.")
    current: Annotated[MetricValueStatus, Required()] = Field(
        default_factory=MetricValueStatus, description="The value that was seen."
    )
    describedObject: Annotated[CrossVersionObjectReference, Required()] = Field(
        default_factory=CrossVersionObjectReference, description="The object that the metric is about."
    )


class PodsMetricStatus(ApiModel):
    """A metric of the pods, as it was seen."""

    metric: Annotated[MetricIdentifier, Required()] = Field(default_factory=MetricIdentifier, description="The metric.")
    current: Annotated[MetricValueStatus, Required()] = Field(
        default_factory=MetricValueStatus, description="The value that was seen."
    )


class ResourceMetricStatus(ApiModel):
    """A resource that all containers use, as it was seen."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(default="", description="Name of the resource.")
    current: Annotated[MetricValueStatus, Required()] = Field(
        default_factory=MetricValueStatus, description="The value that was seen."
    )


class ContainerResourceMetricStatus(ApiModel):
    """A resource that one container of each pod uses, as it was seen."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(default="", description="Name of the resource.")
    current: Annotated[MetricValueStatus, Required()] = Field(
        default_factory=MetricValueStatus, description="The value that was seen."
    )
    container: Annotated[str, Required()] = Field(default="", description="Name of the container.")


class ExternalMetricStatus(ApiModel):
    """A metric from outside of the cluster, as it was seen."""

    metric: Annotated[MetricIdentifier, Required()] = Field(default_factory=MetricIdentifier, description="The metric.")
    current: Annotated[MetricValueStatus, Required()] = Field(
        default_factory=MetricValueStatus, description="The value that was seen."
    )


class MetricStatus(ApiModel):
    """One metric as it was seen."""

    type: Annotated[str, Named("v2.MetricSourceType"), Required()] = Field(
        default="", description="Which of the fields counts: Object, Pods, Resource, ContainerResource or External."
    )
    object: ObjectMetricStatus | None = Field(default=None, description="A metric about one object.")
    pods: PodsMetricStatus | None = Field(default=None, description="A metric of the pods, on average.")
    resource: ResourceMetricStatus | None = Field(default=None, description="A resource that all containers use.")
    containerResource: ContainerResourceMetricStatus | None = Field(
        default=None, description="A resource that one container of each pod uses."
    )
    external: ExternalMetricStatus | None = Field(default=None, description="A metric from outside of the cluster.")


class HorizontalPodAutoscalerCondition(ApiModel):
    """One aspect of the state."""

    type: Annotated[str, Named("v2.HorizontalPodAutoscalerConditionType"), Required()] = Field(
        default="", description="Which aspect."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="True, False or Unknown."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the status changed last."
    )
    reason: str = Field(default="", description="Why, in one CamelCase word.")
    message: str = Field(default="", description="Why, for people.")


class HorizontalPodAutoscalerStatus(ApiModel):
    """What there is."""

    observedGeneration: Int64 | None = Field(default=None, description="The generation that the status is about.")
    lastScaleTime: Time | None = Field(default=None, description="When the number of pods was changed last.")
    currentReplicas: Int32 = Field(default=0, description="How many pods there are.")
    desiredReplicas: Annotated[Int32, Required()] = Field(default=0, description="How many pods the metrics call for.")
    currentMetrics: Annotated[list[MetricStatus], Always()] = Field(
        default_factory=list, description="The metrics as they were seen."
    )
    conditions: Annotated[list[HorizontalPodAutoscalerCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Aspects of the state."
    )


class HorizontalPodAutoscaler(ApiObject):
    """Scales a workload by metrics."""

    spec: Annotated[HorizontalPodAutoscalerSpec, Required()] = Field(
        default_factory=HorizontalPodAutoscalerSpec, description="What is wanted."
    )
    status: HorizontalPodAutoscalerStatus = Field(
        default_factory=HorizontalPodAutoscalerStatus, description="What there is."
    )
