from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Quantity, Time


class CrossVersionObjectReference(ApiModel):
    """A reference to a scalable object by kind, name and API version."""

    kind: Annotated[str, Required()] = Field(
        default="", description="Kind of the referenced object, such as Deployment."
    )
    name: Annotated[str, Required()] = Field(
        default="", description="Name of the referenced object, in the namespace of the autoscaler."
    )
    apiVersion: str = Field(default="", description="Group and version of the referenced object, such as apps/v1.")


class MetricTarget(ApiModel):
    """Target value of a metric: total value, average per pod, or average utilization in percent."""

    type: Annotated[str, Named("v2.MetricTargetType"), Required()] = Field(
        default="", description="Type of the target: Utilization, Value or AverageValue."
    )
    value: Quantity | None = Field(default=None, description="Value of the metric, not averaged over the pods.")
    averageValue: Quantity | None = Field(default=None, description="Value of the metric, averaged over the pods.")
    averageUtilization: Int32 | None = Field(
        default=None, description="Average utilization of the pods, in percent of the requests."
    )


class MetricIdentifier(ApiModel):
    """Name and label selector of a metric."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the metric in the custom or external metrics API, such as requests_per_second."
    )
    selector: LabelSelector | None = Field(
        default=None, description="Label selector that limits the query for the metric; unset for none."
    )


class ObjectMetricSource(ApiModel):
    """Scales by a metric of one object."""

    describedObject: Annotated[CrossVersionObjectReference, Required()] = Field(
        default_factory=CrossVersionObjectReference, description="Object that the metric is about, such as an Ingress."
    )
    target: Annotated[MetricTarget, Required()] = Field(
        default_factory=MetricTarget, description="Value at which the autoscaler tries to keep the metric."
    )
    metric: Annotated[MetricIdentifier, Required()] = Field(
        default_factory=MetricIdentifier, description="Name and label selector of the metric."
    )


class PodsMetricSource(ApiModel):
    """Scales by a metric averaged over the pods."""

    metric: Annotated[MetricIdentifier, Required()] = Field(
        default_factory=MetricIdentifier, description="Name and label selector of the metric."
    )
    target: Annotated[MetricTarget, Required()] = Field(
        default_factory=MetricTarget, description="Value at which the autoscaler tries to keep the metric."
    )


class ResourceMetricSource(ApiModel):
    """Scales by the CPU or memory use of the pods, over all their containers."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(
        default="", description="Name of the resource, such as cpu or memory."
    )
    target: Annotated[MetricTarget, Required()] = Field(
        default_factory=MetricTarget, description="Value at which the autoscaler tries to keep the metric."
    )


class ContainerResourceMetricSource(ApiModel):
    """Scales by a resource metric of one container of each pod."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(
        default="", description="Name of the resource, such as cpu or memory."
    )
    target: Annotated[MetricTarget, Required()] = Field(
        default_factory=MetricTarget, description="Value at which the autoscaler tries to keep the metric."
    )
    container: Annotated[str, Required()] = Field(
        default="", description="Container, by name, whose resource use is measured in each pod."
    )


class ExternalMetricSource(ApiModel):
    """Scales by a metric that is not related to an object of the cluster."""

    metric: Annotated[MetricIdentifier, Required()] = Field(
        default_factory=MetricIdentifier, description="Name and label selector of the metric."
    )
    target: Annotated[MetricTarget, Required()] = Field(
        default_factory=MetricTarget, description="Value at which the autoscaler tries to keep the metric."
    )


class MetricSpec(ApiModel):
    """A metric by which to scale, and its target value."""

    type: Annotated[str, Named("v2.MetricSourceType"), Required()] = Field(
        default="", description="Type of the metric: Object, Pods, Resource, ContainerResource or External."
    )
    object: ObjectMetricSource | None = Field(
        default=None, description="Metric about one object, such as an Ingress; for type Object."
    )
    pods: PodsMetricSource | None = Field(
        default=None, description="Metric of each pod, averaged over the pods; for type Pods."
    )
    resource: ResourceMetricSource | None = Field(
        default=None, description="CPU or memory use of the pods, over all their containers; for type Resource."
    )
    containerResource: ContainerResourceMetricSource | None = Field(
        default=None, description="CPU or memory use of one container of each pod; for type ContainerResource."
    )
    external: ExternalMetricSource | None = Field(
        default=None, description="A metric that is not related to an object of the cluster; for type External."
    )


class HPAScalingPolicy(ApiModel):
    """Maximum number or percentage of pods that may be added or removed within a period."""

    type: Annotated[str, Named("v2.HPAScalingPolicyType"), Required()] = Field(
        default="", description="Unit of the field `value`: Pods, or Percent of the current number of pods."
    )
    value: Annotated[Int32, Required()] = Field(
        default=0, description="Maximum number or percentage of pods to add or remove within the period."
    )
    periodSeconds: Annotated[Int32, Required()] = Field(
        default=0, description="Length of the period to which the limit `value` applies, in seconds; at most 1800."
    )


class HPAScalingRules(ApiModel):
    """Policies, stabilization window and tolerance for scaling up or for scaling down."""

    stabilizationWindowSeconds: Int32 | None = Field(
        default=None,
        description="Seconds for which past recommendations count too, so that the number of pods does not flap.",
    )
    selectPolicy: Annotated[str | None, Named("v2.ScalingPolicySelect")] = Field(
        default=None,
        description="Choice among the policies: Max (the largest change), Min (the smallest) or Disabled (no change).",
    )
    policies: list[HPAScalingPolicy] = Field(
        default_factory=list, description="Limits on the number of pods that are added or removed within a period."
    )
    tolerance: Quantity | None = Field(
        default=None,
        description="Deviation of a metric from its target up to which nothing is scaled, as a fraction such as 0.1.",
    )


class HorizontalPodAutoscalerBehavior(ApiModel):
    """Rules for scaling up and for scaling down."""

    scaleUp: HPAScalingRules | None = Field(
        default=None, description="Rate limits, stabilization window and tolerance for adding pods."
    )
    scaleDown: HPAScalingRules | None = Field(
        default=None, description="Rate limits, stabilization window and tolerance for removing pods."
    )


class HorizontalPodAutoscalerSpec(ApiModel):
    """Scaled workload, limits of its replicas, metrics and scaling behavior."""

    scaleTargetRef: Annotated[CrossVersionObjectReference, Required()] = Field(
        default_factory=CrossVersionObjectReference,
        description="Workload to scale, such as a Deployment; must have a scale subresource.",
    )
    minReplicas: Int32 | None = Field(default=None, description="Minimum number of pods; 1 by default.")
    maxReplicas: Annotated[Int32, Required()] = Field(
        default=0, description="Upper limit of the number of pods; at least minReplicas."
    )
    metrics: list[MetricSpec] = Field(
        default_factory=list, description="Metrics by which to scale; the metric that needs the most replicas decides."
    )
    behavior: HorizontalPodAutoscalerBehavior | None = Field(
        default=None, description="Rules for adding and for removing pods; default rules if unset."
    )


class MetricValueStatus(ApiModel):
    """Observed value of a metric: total value, average per pod, or average utilization in percent."""

    value: Quantity | None = Field(default=None, description="Value of the metric, not averaged over the pods.")
    averageValue: Quantity | None = Field(default=None, description="Value of the metric, averaged over the pods.")
    averageUtilization: Int32 | None = Field(
        default=None, description="Average utilization of the pods, in percent of the requests."
    )


class ObjectMetricStatus(ApiModel):
    """Observed value of a metric that describes one object of the cluster."""

    metric: Annotated[MetricIdentifier, Required()] = Field(
        default_factory=MetricIdentifier, description="Name and label selector of the metric."
    )
    current: Annotated[MetricValueStatus, Required()] = Field(
        default_factory=MetricValueStatus, description="Value of the metric when it was last measured."
    )
    describedObject: Annotated[CrossVersionObjectReference, Required()] = Field(
        default_factory=CrossVersionObjectReference, description="Object that the metric is about, such as an Ingress."
    )


class PodsMetricStatus(ApiModel):
    """Observed value of a metric, averaged over the pods of the scaled workload."""

    metric: Annotated[MetricIdentifier, Required()] = Field(
        default_factory=MetricIdentifier, description="Name and label selector of the metric."
    )
    current: Annotated[MetricValueStatus, Required()] = Field(
        default_factory=MetricValueStatus, description="Value of the metric when it was last measured."
    )


class ResourceMetricStatus(ApiModel):
    """Observed value of a resource metric (CPU or memory) of the pods, over all their containers."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(
        default="", description="Name of the resource, such as cpu or memory."
    )
    current: Annotated[MetricValueStatus, Required()] = Field(
        default_factory=MetricValueStatus, description="Value of the metric when it was last measured."
    )


class ContainerResourceMetricStatus(ApiModel):
    """Observed value of a resource metric (CPU or memory) of one container of each pod."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(
        default="", description="Name of the resource, such as cpu or memory."
    )
    current: Annotated[MetricValueStatus, Required()] = Field(
        default_factory=MetricValueStatus, description="Value of the metric when it was last measured."
    )
    container: Annotated[str, Required()] = Field(
        default="", description="Container, by name, whose resource use is measured in each pod."
    )


class ExternalMetricStatus(ApiModel):
    """Observed value of a metric that is not related to an object of the cluster."""

    metric: Annotated[MetricIdentifier, Required()] = Field(
        default_factory=MetricIdentifier, description="Name and label selector of the metric."
    )
    current: Annotated[MetricValueStatus, Required()] = Field(
        default_factory=MetricValueStatus, description="Value of the metric when it was last measured."
    )


class MetricStatus(ApiModel):
    """The observed value of a metric."""

    type: Annotated[str, Named("v2.MetricSourceType"), Required()] = Field(
        default="", description="Type of the metric: Object, Pods, Resource, ContainerResource or External."
    )
    object: ObjectMetricStatus | None = Field(
        default=None, description="Metric about one object, such as an Ingress; for type Object."
    )
    pods: PodsMetricStatus | None = Field(
        default=None, description="Metric of each pod, averaged over the pods; for type Pods."
    )
    resource: ResourceMetricStatus | None = Field(
        default=None, description="CPU or memory use of the pods, over all their containers; for type Resource."
    )
    containerResource: ContainerResourceMetricStatus | None = Field(
        default=None, description="CPU or memory use of one container of each pod; for type ContainerResource."
    )
    external: ExternalMetricStatus | None = Field(
        default=None, description="A metric that is not related to an object of the cluster; for type External."
    )


class HorizontalPodAutoscalerCondition(ApiModel):
    """A condition of a HorizontalPodAutoscaler: ScalingActive, AbleToScale or ScalingLimited."""

    type: Annotated[str, Named("v2.HorizontalPodAutoscalerConditionType"), Required()] = Field(
        default="", description="Type of the condition, such as ScalingActive."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="Status of the condition: True, False or Unknown."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time of the last change of this condition's status."
    )
    reason: str = Field(default="", description="Reason for the status, as one CamelCase word.")
    message: str = Field(default="", description="Human-readable explanation of the condition's status.")


class HorizontalPodAutoscalerStatus(ApiModel):
    """Observed state of a HorizontalPodAutoscaler: replica counts, current metrics and conditions."""

    observedGeneration: Int64 | None = Field(
        default=None, description="Generation of the object that the controller observed when it wrote the status."
    )
    lastScaleTime: Time | None = Field(default=None, description="Time when the number of pods was last changed.")
    currentReplicas: Int32 = Field(default=0, description="Current number of pods of the scaled object.")
    desiredReplicas: Annotated[Int32, Required()] = Field(
        default=0, description="Number of pods that the controller last computed from the metrics."
    )
    currentMetrics: Annotated[list[MetricStatus], Always()] = Field(
        default_factory=list, description="Metrics of the spec with the values last measured."
    )
    conditions: Annotated[list[HorizontalPodAutoscalerCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions of the autoscaler, such as AbleToScale and ScalingActive."
    )


class HorizontalPodAutoscaler(ApiObject):
    """Changes the number of replicas of a workload so that its metrics stay near their targets."""

    spec: Annotated[HorizontalPodAutoscalerSpec, Required()] = Field(
        default_factory=HorizontalPodAutoscalerSpec,
        description="Workload to scale, limits of its replicas, metrics and scaling rules.",
    )
    status: HorizontalPodAutoscalerStatus = Field(
        default_factory=HorizontalPodAutoscalerStatus,
        description="Replica counts, metrics and conditions, written by the controller.",
    )
