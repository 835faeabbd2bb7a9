"""Metric statuses in annotations of autoscaling/v1, and their conversion to v2."""

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


class ObjectMetricStatus(ApiModel):
    """Observed metric of one object, in an annotation of autoscaling/v1."""

    target: Annotated[newer.CrossVersionObjectReference, Required()] = Field(
        default_factory=newer.CrossVersionObjectReference
    )
    metricName: _Text = ""
    currentValue: _Amount = _ZERO
    selector: LabelSelector | None = None
    averageValue: Quantity | None = None

    def converted(self) -> newer.ObjectMetricStatus:
        """Convert the metric status of an autoscaling/v1 annotation to the autoscaling/v2 type."""
        current = newer.MetricValueStatus(value=self.currentValue, averageValue=self.averageValue)
        metric = newer.MetricIdentifier(name=self.metricName, selector=self.selector)
        return newer.ObjectMetricStatus(metric=metric, current=current, describedObject=self.target)

    @classmethod
    def of(cls, status: newer.ObjectMetricStatus) -> "ObjectMetricStatus":
        """Convert a metric status of autoscaling/v2 to the type that annotations of autoscaling/v1 contain."""
        return cls(
            target=status.describedObject,
            metricName=status.metric.name,
            currentValue=status.current.value or _ZERO,
            selector=status.metric.selector,
            averageValue=status.current.averageValue,
        )


class PodsMetricStatus(ApiModel):
    """Observed average of a metric over the pods, in an annotation of autoscaling/v1."""

    metricName: _Text = ""
    currentAverageValue: _Amount = _ZERO
    selector: LabelSelector | None = None

    def converted(self) -> newer.PodsMetricStatus:
        """Convert the metric status of an autoscaling/v1 annotation to the autoscaling/v2 type."""
        metric = newer.MetricIdentifier(name=self.metricName, selector=self.selector)
        current = newer.MetricValueStatus(averageValue=self.currentAverageValue)
        return newer.PodsMetricStatus(metric=metric, current=current)

    @classmethod
    def of(cls, status: newer.PodsMetricStatus) -> "PodsMetricStatus":
        """Convert a metric status of autoscaling/v2 to the type that annotations of autoscaling/v1 contain."""
        average = status.current.averageValue or _ZERO
        return cls(metricName=status.metric.name, currentAverageValue=average, selector=status.metric.selector)


class ResourceMetricStatus(ApiModel):
    """Observed resource metric of the pods, over all their containers, in an annotation of autoscaling/v1."""

    name: _Text = ""
    currentAverageUtilization: Int32 | None = None
    currentAverageValue: _Amount = _ZERO

    def converted(self) -> newer.ResourceMetricStatus:
        """Convert the metric status of an autoscaling/v1 annotation to the autoscaling/v2 type."""
        utilization, average = self.currentAverageUtilization, self.currentAverageValue
        current = newer.MetricValueStatus(averageValue=average, averageUtilization=utilization)
        return newer.ResourceMetricStatus(name=self.name, current=current)

    @classmethod
    def of(cls, status: newer.ResourceMetricStatus) -> "ResourceMetricStatus":
        """Convert a metric status of autoscaling/v2 to the type that annotations of autoscaling/v1 contain."""
        utilization, average = status.current.averageUtilization, status.current.averageValue or _ZERO
        return cls(name=status.name, currentAverageUtilization=utilization, currentAverageValue=average)


class ContainerResourceMetricStatus(ApiModel):
    """Observed resource metric of one container of each pod, in an annotation of autoscaling/v1."""

    name: _Text = ""
    currentAverageUtilization: Int32 | None = None
    currentAverageValue: _Amount = _ZERO
    container: _Text = ""

    def converted(self) -> newer.ContainerResourceMetricStatus:
        """Convert the metric status of an autoscaling/v1 annotation to the autoscaling/v2 type."""
        utilization, average = self.currentAverageUtilization, self.currentAverageValue
        current = newer.MetricValueStatus(averageValue=average, averageUtilization=utilization)
        return newer.ContainerResourceMetricStatus(name=self.name, current=current, container=self.container)

    @classmethod
    def of(cls, status: newer.ContainerResourceMetricStatus) -> "ContainerResourceMetricStatus":
        """Convert a metric status of autoscaling/v2 to the type that annotations of autoscaling/v1 contain."""
        return cls(
            name=status.name,
            currentAverageUtilization=status.current.averageUtilization,
            currentAverageValue=status.current.averageValue or _ZERO,
            container=status.container,
        )


class ExternalMetricStatus(ApiModel):
    """Observed metric that is not related to an object of the cluster, in an annotation of autoscaling/v1."""

    metricName: _Text = ""
    metricSelector: LabelSelector | None = None
    currentValue: _Amount = _ZERO
    currentAverageValue: Quantity | None = None

    def converted(self) -> newer.ExternalMetricStatus:
        """Convert the metric status of an autoscaling/v1 annotation to the autoscaling/v2 type."""
        current = newer.MetricValueStatus(value=self.currentValue, averageValue=self.currentAverageValue)
        metric = newer.MetricIdentifier(name=self.metricName, selector=self.metricSelector)
        return newer.ExternalMetricStatus(metric=metric, current=current)

    @classmethod
    def of(cls, status: newer.ExternalMetricStatus) -> "ExternalMetricStatus":
        """Convert a metric status of autoscaling/v2 to the type that annotations of autoscaling/v1 contain."""
        return cls(
            metricName=status.metric.name,
            metricSelector=status.metric.selector,
            currentValue=status.current.value or _ZERO,
            currentAverageValue=status.current.averageValue,
        )


class MetricStatus(ApiModel):
    """Observed value of a metric, in an annotation of autoscaling/v1."""

    type: _Text = ""
    object: ObjectMetricStatus | None = None
    pods: PodsMetricStatus | None = None
    resource: ResourceMetricStatus | None = None
    containerResource: ContainerResourceMetricStatus | None = None
    external: ExternalMetricStatus | None = None

    def converted(self) -> newer.MetricStatus:
        """Convert the metric status of an autoscaling/v1 annotation to the autoscaling/v2 type."""
        return newer.MetricStatus(
            type=self.type,
            object=None if self.object is None else self.object.converted(),
            pods=None if self.pods is None else self.pods.converted(),
            resource=None if self.resource is None else self.resource.converted(),
            containerResource=None if self.containerResource is None else self.containerResource.converted(),
            external=None if self.external is None else self.external.converted(),
        )

    @classmethod
    def of(cls, metric: newer.MetricStatus) -> "MetricStatus":
        """Convert a metric status of autoscaling/v2 to the type that annotations of autoscaling/v1 contain."""
        container = metric.containerResource
        return cls(
            type=metric.type,
            object=None if metric.object is None else ObjectMetricStatus.of(metric.object),
            pods=None if metric.pods is None else PodsMetricStatus.of(metric.pods),
            resource=None if metric.resource is None else ResourceMetricStatus.of(metric.resource),
            containerResource=None if container is None else ContainerResourceMetricStatus.of(container),
            external=None if metric.external is None else ExternalMetricStatus.of(metric.external),
        )
