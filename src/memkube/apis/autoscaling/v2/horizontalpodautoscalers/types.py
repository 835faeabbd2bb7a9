"""HorizontalPodAutoscalers: how many replicas metrics call for."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Quantity, Time


class CrossVersionObjectReference(ApiModel):
    """TODO."""

    kind: Annotated[str, Required()] = Field(default="", description="TODO")
    name: Annotated[str, Required()] = Field(default="", description="TODO")
    apiVersion: str = Field(default="", description="TODO")


class MetricTarget(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v2.MetricTargetType"), Required()] = Field(default="", description="TODO")
    value: Quantity | None = Field(default=None, description="TODO")
    averageValue: Quantity | None = Field(default=None, description="TODO")
    averageUtilization: Int32 | None = Field(default=None, description="TODO")


class MetricIdentifier(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")
    selector: LabelSelector | None = Field(default=None, description="TODO")


class ObjectMetricSource(ApiModel):
    """TODO."""

    describedObject: Annotated[CrossVersionObjectReference, Required()] = Field(
        default_factory=CrossVersionObjectReference, description="TODO"
    )
    target: Annotated[MetricTarget, Required()] = Field(default_factory=MetricTarget, description="TODO")
    metric: Annotated[MetricIdentifier, Required()] = Field(default_factory=MetricIdentifier, description="TODO")


class PodsMetricSource(ApiModel):
    """TODO."""

    metric: Annotated[MetricIdentifier, Required()] = Field(default_factory=MetricIdentifier, description="TODO")
    target: Annotated[MetricTarget, Required()] = Field(default_factory=MetricTarget, description="TODO")


class ResourceMetricSource(ApiModel):
    """TODO."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(default="", description="TODO")
    target: Annotated[MetricTarget, Required()] = Field(default_factory=MetricTarget, description="TODO")


class ContainerResourceMetricSource(ApiModel):
    """TODO."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(default="", description="TODO")
    target: Annotated[MetricTarget, Required()] = Field(default_factory=MetricTarget, description="TODO")
    container: Annotated[str, Required()] = Field(default="", description="TODO")


class ExternalMetricSource(ApiModel):
    """TODO."""

    metric: Annotated[MetricIdentifier, Required()] = Field(default_factory=MetricIdentifier, description="TODO")
    target: Annotated[MetricTarget, Required()] = Field(default_factory=MetricTarget, description="TODO")


class MetricSpec(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v2.MetricSourceType"), Required()] = Field(default="", description="TODO")
    object: ObjectMetricSource | None = Field(default=None, description="TODO")
    pods: PodsMetricSource | None = Field(default=None, description="TODO")
    resource: ResourceMetricSource | None = Field(default=None, description="TODO")
    containerResource: ContainerResourceMetricSource | None = Field(default=None, description="TODO")
    external: ExternalMetricSource | None = Field(default=None, description="TODO")


class HPAScalingPolicy(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v2.HPAScalingPolicyType"), Required()] = Field(default="", description="TODO")
    value: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    periodSeconds: Annotated[Int32, Required()] = Field(default=0, description="TODO")


class HPAScalingRules(ApiModel):
    """TODO."""

    stabilizationWindowSeconds: Int32 | None = Field(default=None, description="TODO")
    selectPolicy: Annotated[str | None, Named("v2.ScalingPolicySelect")] = Field(default=None, description="TODO")
    policies: list[HPAScalingPolicy] = Field(default_factory=list, description="TODO")
    tolerance: Quantity | None = Field(default=None, description="TODO")


class HorizontalPodAutoscalerBehavior(ApiModel):
    """TODO."""

    scaleUp: HPAScalingRules | None = Field(default=None, description="TODO")
    scaleDown: HPAScalingRules | None = Field(default=None, description="TODO")


class HorizontalPodAutoscalerSpec(ApiModel):
    """TODO."""

    scaleTargetRef: Annotated[CrossVersionObjectReference, Required()] = Field(
        default_factory=CrossVersionObjectReference, description="TODO"
    )
    minReplicas: Int32 | None = Field(default=None, description="TODO")
    maxReplicas: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    metrics: list[MetricSpec] = Field(default_factory=list, description="TODO")
    behavior: HorizontalPodAutoscalerBehavior | None = Field(default=None, description="TODO")


class MetricValueStatus(ApiModel):
    """TODO."""

    value: Quantity | None = Field(default=None, description="TODO")
    averageValue: Quantity | None = Field(default=None, description="TODO")
    averageUtilization: Int32 | None = Field(default=None, description="TODO")


class ObjectMetricStatus(ApiModel):
    """TODO."""

    metric: Annotated[MetricIdentifier, Required()] = Field(default_factory=MetricIdentifier, description="TODO")
    current: Annotated[MetricValueStatus, Required()] = Field(default_factory=MetricValueStatus, description="TODO")
    describedObject: Annotated[CrossVersionObjectReference, Required()] = Field(
        default_factory=CrossVersionObjectReference, description="TODO"
    )


class PodsMetricStatus(ApiModel):
    """TODO."""

    metric: Annotated[MetricIdentifier, Required()] = Field(default_factory=MetricIdentifier, description="TODO")
    current: Annotated[MetricValueStatus, Required()] = Field(default_factory=MetricValueStatus, description="TODO")


class ResourceMetricStatus(ApiModel):
    """TODO."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(default="", description="TODO")
    current: Annotated[MetricValueStatus, Required()] = Field(default_factory=MetricValueStatus, description="TODO")


class ContainerResourceMetricStatus(ApiModel):
    """TODO."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(default="", description="TODO")
    current: Annotated[MetricValueStatus, Required()] = Field(default_factory=MetricValueStatus, description="TODO")
    container: Annotated[str, Required()] = Field(default="", description="TODO")


class ExternalMetricStatus(ApiModel):
    """TODO."""

    metric: Annotated[MetricIdentifier, Required()] = Field(default_factory=MetricIdentifier, description="TODO")
    current: Annotated[MetricValueStatus, Required()] = Field(default_factory=MetricValueStatus, description="TODO")


class MetricStatus(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v2.MetricSourceType"), Required()] = Field(default="", description="TODO")
    object: ObjectMetricStatus | None = Field(default=None, description="TODO")
    pods: PodsMetricStatus | None = Field(default=None, description="TODO")
    resource: ResourceMetricStatus | None = Field(default=None, description="TODO")
    containerResource: ContainerResourceMetricStatus | None = Field(default=None, description="TODO")
    external: ExternalMetricStatus | None = Field(default=None, description="TODO")


class HorizontalPodAutoscalerCondition(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v2.HorizontalPodAutoscalerConditionType"), Required()] = Field(
        default="", description="TODO"
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(default="", description="TODO")
    lastTransitionTime: Annotated[Time | None, Always()] = Field(default=None, description="TODO")
    reason: str = Field(default="", description="TODO")
    message: str = Field(default="", description="TODO")


class HorizontalPodAutoscalerStatus(ApiModel):
    """TODO."""

    observedGeneration: Int64 | None = Field(default=None, description="TODO")
    lastScaleTime: Time | None = Field(default=None, description="TODO")
    currentReplicas: Int32 = Field(default=0, description="TODO")
    desiredReplicas: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    currentMetrics: Annotated[list[MetricStatus], Always()] = Field(default_factory=list, description="TODO")
    conditions: Annotated[list[HorizontalPodAutoscalerCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="TODO"
    )


class HorizontalPodAutoscaler(ApiObject):
    """TODO."""

    spec: Annotated[HorizontalPodAutoscalerSpec, Required()] = Field(
        default_factory=HorizontalPodAutoscalerSpec, description="TODO"
    )
    status: HorizontalPodAutoscalerStatus = Field(default_factory=HorizontalPodAutoscalerStatus, description="TODO")
