"""Metric specs in annotations of autoscaling/v1, and their conversion to v2.

Source: ``pkg/apis/autoscaling/v1/conversion.go``. The types are part of v1, but only annotations contain them.
"""

from typing import Annotated, Final

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Quantity
from memkube.apis.autoscaling.v2.horizontalpodautoscalers import types as newer

_ZERO: Final = Quantity("0")
_Amount = Annotated[Quantity, Required()]
_Text = Annotated[str, Required()]


class ObjectMetricSource(ApiModel):
    """Metric of one object, and its target value, in an annotation of autoscaling/v1."""

    target: Annotated[newer.CrossVersionObjectReference, Required()] = Field(
        default_factory=newer.CrossVersionObjectReference
    )
    metricName: _Text = ""
    targetValue: _Amount = _ZERO
    selector: LabelSelector | None = None
    averageValue: Quantity | None = None

    def converted(self) -> newer.ObjectMetricSource:
        """Convert the metric spec of an autoscaling/v1 annotation to the autoscaling/v2 type.

        If there is an average value, a target value of zero counts as unset.
        """
        average = self.averageValue
        value = self.targetValue if average is None or self.targetValue.nano else None
        target = newer.MetricTarget(
            type="Value" if average is None else "AverageValue", value=value, averageValue=average
        )
        metric = newer.MetricIdentifier(name=self.metricName, selector=self.selector)
        return newer.ObjectMetricSource(describedObject=self.target, target=target, metric=metric)

    @classmethod
    def of(cls, source: newer.ObjectMetricSource) -> "ObjectMetricSource":
        """Convert a metric spec of autoscaling/v2 to the type that annotations of autoscaling/v1 contain."""
        return cls(
            target=source.describedObject,
            metricName=source.metric.name,
            targetValue=source.target.value or _ZERO,
            selector=source.metric.selector,
            averageValue=source.target.averageValue,
        )


class PodsMetricSource(ApiModel):
    """Metric averaged over the pods, and its target value, in an annotation of autoscaling/v1."""

    metricName: _Text = ""
    targetAverageValue: _Amount = _ZERO
    selector: LabelSelector | None = None

    def converted(self) -> newer.PodsMetricSource:
        """Convert the metric spec of an autoscaling/v1 annotation to the autoscaling/v2 type."""
        target = newer.MetricTarget(type="AverageValue", averageValue=self.targetAverageValue)
        metric = newer.MetricIdentifier(name=self.metricName, selector=self.selector)
        return newer.PodsMetricSource(metric=metric, target=target)

    @classmethod
    def of(cls, source: newer.PodsMetricSource) -> "PodsMetricSource":
        """Convert a metric spec of autoscaling/v2 to the type that annotations of autoscaling/v1 contain."""
        average = source.target.averageValue or _ZERO
        return cls(metricName=source.metric.name, targetAverageValue=average, selector=source.metric.selector)


class ResourceMetricSource(ApiModel):
    """Resource metric over all containers, and its target value, in an annotation of autoscaling/v1."""

    name: _Text = ""
    targetAverageUtilization: Int32 | None = None
    targetAverageValue: Quantity | None = None

    def converted(self) -> newer.ResourceMetricSource:
        """Convert the metric spec of an autoscaling/v1 annotation to the autoscaling/v2 type."""
        return newer.ResourceMetricSource(name=self.name, target=_resource_target(self))

    @classmethod
    def of(cls, source: newer.ResourceMetricSource) -> "ResourceMetricSource":
        """Convert a metric spec of autoscaling/v2 to the type that annotations of autoscaling/v1 contain."""
        utilization, average = source.target.averageUtilization, source.target.averageValue
        return cls(name=source.name, targetAverageUtilization=utilization, targetAverageValue=average)


class ContainerResourceMetricSource(ApiModel):
    """Resource metric of one container of each pod, and its target value, in an annotation of autoscaling/v1."""

    name: _Text = ""
    targetAverageUtilization: Int32 | None = None
    targetAverageValue: Quantity | None = None
    container: _Text = ""

    def converted(self) -> newer.ContainerResourceMetricSource:
        """Convert the metric spec of an autoscaling/v1 annotation to the autoscaling/v2 type."""
        target = _resource_target(self)
        return newer.ContainerResourceMetricSource(name=self.name, target=target, container=self.container)

    @classmethod
    def of(cls, source: newer.ContainerResourceMetricSource) -> "ContainerResourceMetricSource":
        """Convert a metric spec of autoscaling/v2 to the type that annotations of autoscaling/v1 contain."""
        return cls(
            name=source.name,
            targetAverageUtilization=source.target.averageUtilization,
            targetAverageValue=source.target.averageValue,
            container=source.container,
        )


def _resource_target(source: ResourceMetricSource | ContainerResourceMetricSource) -> newer.MetricTarget:
    utilization, average = source.targetAverageUtilization, source.targetAverageValue
    named = "AverageValue" if utilization is None else "Utilization"
    return newer.MetricTarget(type=named, averageValue=average, averageUtilization=utilization)


class ExternalMetricSource(ApiModel):
    """Metric of a system outside of the cluster, and its target value, in an annotation of autoscaling/v1."""

    metricName: _Text = ""
    metricSelector: LabelSelector | None = None
    targetValue: Quantity | None = None
    targetAverageValue: Quantity | None = None

    def converted(self) -> newer.ExternalMetricSource:
        """Convert the metric spec of an autoscaling/v1 annotation to the autoscaling/v2 type."""
        named = "AverageValue" if self.targetValue is None else "Value"
        target = newer.MetricTarget(type=named, value=self.targetValue, averageValue=self.targetAverageValue)
        metric = newer.MetricIdentifier(name=self.metricName, selector=self.metricSelector)
        return newer.ExternalMetricSource(metric=metric, target=target)

    @classmethod
    def of(cls, source: newer.ExternalMetricSource) -> "ExternalMetricSource":
        """Convert a metric spec of autoscaling/v2 to the type that annotations of autoscaling/v1 contain."""
        return cls(
            metricName=source.metric.name,
            metricSelector=source.metric.selector,
            targetValue=source.target.value,
            targetAverageValue=source.target.averageValue,
        )


class MetricSpec(ApiModel):
    """Metric by which to scale, and its target value, in an annotation of autoscaling/v1."""

    type: _Text = ""
    object: ObjectMetricSource | None = None
    pods: PodsMetricSource | None = None
    resource: ResourceMetricSource | None = None
    containerResource: ContainerResourceMetricSource | None = None
    external: ExternalMetricSource | None = None

    def converted(self) -> newer.MetricSpec:
        """Convert the metric spec of an autoscaling/v1 annotation to the autoscaling/v2 type."""
        return newer.MetricSpec(
            type=self.type,
            object=None if self.object is None else self.object.converted(),
            pods=None if self.pods is None else self.pods.converted(),
            resource=None if self.resource is None else self.resource.converted(),
            containerResource=None if self.containerResource is None else self.containerResource.converted(),
            external=None if self.external is None else self.external.converted(),
        )

    @classmethod
    def of(cls, metric: newer.MetricSpec) -> "MetricSpec":
        """Convert a metric spec of autoscaling/v2 to the type that annotations of autoscaling/v1 contain."""
        container = metric.containerResource
        return cls(
            type=metric.type,
            object=None if metric.object is None else ObjectMetricSource.of(metric.object),
            pods=None if metric.pods is None else PodsMetricSource.of(metric.pods),
            resource=None if metric.resource is None else ResourceMetricSource.of(metric.resource),
            containerResource=None if container is None else ContainerResourceMetricSource.of(container),
            external=None if metric.external is None else ExternalMetricSource.of(metric.external),
        )
