"""Metrics as annotations of the first version have them, and the same in the second version.

Source: ``pkg/apis/autoscaling/v1/conversion.go``. The types belong to the first version, but no field has them.
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
    """A metric about one object."""

    target: Annotated[newer.CrossVersionObjectReference, Required()] = Field(
        default_factory=newer.CrossVersionObjectReference
    )
    metricName: _Text = ""
    targetValue: _Amount = _ZERO
    selector: LabelSelector | None = None
    averageValue: Quantity | None = None

    def converted(self) -> newer.ObjectMetricSource:
        """The source in the second version; where there is an average, zero stands for no value."""
        average = self.averageValue
        value = self.targetValue if average is None or self.targetValue.nano else None
        target = newer.MetricTarget(
            type="Value" if average is None else "AverageValue", value=value, averageValue=average
        )
        metric = newer.MetricIdentifier(name=self.metricName, selector=self.selector)
        return newer.ObjectMetricSource(describedObject=self.target, target=target, metric=metric)

    @classmethod
    def of(cls, source: newer.ObjectMetricSource) -> "ObjectMetricSource":
        """The source in this version."""
        return cls(
            target=source.describedObject,
            metricName=source.metric.name,
            targetValue=source.target.value or _ZERO,
            selector=source.metric.selector,
            averageValue=source.target.averageValue,
        )


class PodsMetricSource(ApiModel):
    """A metric of the pods, on average."""

    metricName: _Text = ""
    targetAverageValue: _Amount = _ZERO
    selector: LabelSelector | None = None

    def converted(self) -> newer.PodsMetricSource:
        """The source in the second version."""
        target = newer.MetricTarget(type="AverageValue", averageValue=self.targetAverageValue)
        metric = newer.MetricIdentifier(name=self.metricName, selector=self.selector)
        return newer.PodsMetricSource(metric=metric, target=target)

    @classmethod
    def of(cls, source: newer.PodsMetricSource) -> "PodsMetricSource":
        """The source in this version."""
        average = source.target.averageValue or _ZERO
        return cls(metricName=source.metric.name, targetAverageValue=average, selector=source.metric.selector)


class ResourceMetricSource(ApiModel):
    """A resource that all containers use."""

    name: _Text = ""
    targetAverageUtilization: Int32 | None = None
    targetAverageValue: Quantity | None = None

    def converted(self) -> newer.ResourceMetricSource:
        """The source in the second version."""
        return newer.ResourceMetricSource(name=self.name, target=_resource_target(self))

    @classmethod
    def of(cls, source: newer.ResourceMetricSource) -> "ResourceMetricSource":
        """The source in this version."""
        utilization, average = source.target.averageUtilization, source.target.averageValue
        return cls(name=source.name, targetAverageUtilization=utilization, targetAverageValue=average)


class ContainerResourceMetricSource(ApiModel):
    """A resource that one container of each pod uses."""

    name: _Text = ""
    targetAverageUtilization: Int32 | None = None
    targetAverageValue: Quantity | None = None
    container: _Text = ""

    def converted(self) -> newer.ContainerResourceMetricSource:
        """The source in the second version."""
        target = _resource_target(self)
        return newer.ContainerResourceMetricSource(name=self.name, target=target, container=self.container)

    @classmethod
    def of(cls, source: newer.ContainerResourceMetricSource) -> "ContainerResourceMetricSource":
        """The source in this version."""
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
    """A metric from outside of the cluster."""

    metricName: _Text = ""
    metricSelector: LabelSelector | None = None
    targetValue: Quantity | None = None
    targetAverageValue: Quantity | None = None

    def converted(self) -> newer.ExternalMetricSource:
        """The source in the second version."""
        named = "AverageValue" if self.targetValue is None else "Value"
        target = newer.MetricTarget(type=named, value=self.targetValue, averageValue=self.targetAverageValue)
        metric = newer.MetricIdentifier(name=self.metricName, selector=self.metricSelector)
        return newer.ExternalMetricSource(metric=metric, target=target)

    @classmethod
    def of(cls, source: newer.ExternalMetricSource) -> "ExternalMetricSource":
        """The source in this version."""
        return cls(
            metricName=source.metric.name,
            metricSelector=source.metric.selector,
            targetValue=source.target.value,
            targetAverageValue=source.target.averageValue,
        )


class MetricSpec(ApiModel):
    """One metric to scale by."""

    type: _Text = ""
    object: ObjectMetricSource | None = None
    pods: PodsMetricSource | None = None
    resource: ResourceMetricSource | None = None
    containerResource: ContainerResourceMetricSource | None = None
    external: ExternalMetricSource | None = None

    def converted(self) -> newer.MetricSpec:
        """The metric in the second version."""
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
        """The metric in this version."""
        container = metric.containerResource
        return cls(
            type=metric.type,
            object=None if metric.object is None else ObjectMetricSource.of(metric.object),
            pods=None if metric.pods is None else PodsMetricSource.of(metric.pods),
            resource=None if metric.resource is None else ResourceMetricSource.of(metric.resource),
            containerResource=None if container is None else ContainerResourceMetricSource.of(container),
            external=None if metric.external is None else ExternalMetricSource.of(metric.external),
        )
