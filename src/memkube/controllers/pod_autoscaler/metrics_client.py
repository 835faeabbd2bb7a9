"""Reads the metrics of pods and objects in thousandths (``podautoscaler/metrics``)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from memkube.apimachinery.duration import parse_duration
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import CrossVersionObjectReference
from memkube.registry.declarations.request_options import ListOptions, Selection
from memkube.registry.registry import Registry

_POD_METRICS: Final = ("metrics.k8s.io", "v1beta1", "pods")
_NO_CUSTOM_METRICS: Final = (
    "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered"
)


class MetricsError(Exception):
    """A metric is not available. The message is that of kube-controller-manager."""


class PodMetric(NamedTuple):
    """A metric of one pod."""

    timestamp: datetime
    window: timedelta
    value: int
    """Value in thousandths."""


class MetricsClient:
    """Reads metrics from the APIs that the server serves: the resource, custom and external metrics API."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def resource_metric(
        self, resource: str, namespace: str, selector: LabelSelector, container: str
    ) -> dict[str, PodMetric]:
        """Return the usage of a resource by the selected pods, by name.

        If `container` is not empty, only the container of this name counts. Pods without the metric are left out.
        Raises MetricsError if there are no metrics.
        """
        served = self._registry.catalog.find(*_POD_METRICS)
        if served is None:
            raise MetricsError(
                "unable to fetch metrics from resource metrics API: "
                "the server could not find the requested resource (get pods.metrics.k8s.io)"
            )
        options = ListOptions(Selection(labels=selector))
        listed = await self._registry.store(served).list(namespace, options)
        if not listed.items:
            raise MetricsError("no metrics returned from resource metrics API")
        found: dict[str, PodMetric] = {}
        for stored in listed.items:
            usage = _usage(stored.document, resource, container)
            if usage is not None:
                found[stored.name] = _metric(stored.document, usage)
        return found

    async def pods_metric(
        self, name: str, namespace: str, selector: LabelSelector, metric_selector: LabelSelector
    ) -> dict[str, PodMetric]:
        """Return a custom metric of the selected pods, by name. Raises MetricsError if there are no metrics."""
        raise MetricsError(_NO_CUSTOM_METRICS)

    async def object_metric(
        self, name: str, namespace: str, described: CrossVersionObjectReference, metric_selector: LabelSelector
    ) -> int:
        """Return a custom metric of an object in thousandths. Raises MetricsError if there is no such metric."""
        raise MetricsError(_NO_CUSTOM_METRICS)

    async def external_metric(self, name: str, namespace: str, metric_selector: LabelSelector) -> Sequence[int]:
        """Return the values of an external metric in thousandths. Raises MetricsError if there are none."""
        raise MetricsError(
            "unable to fetch metrics from external metrics API: "
            f"the server could not find the requested resource (get {name}.external.metrics.k8s.io)"
        )


def _usage(metrics: Document, resource: str, container: str) -> int | None:
    """Return the usage of all containers of a pod, or of one; None if the metric of a container is missing."""
    containers: list[dict[str, Any]] = metrics["containers"]
    counted = [each for each in containers if container in ("", each["name"])]
    if not counted or any(resource not in each["usage"] for each in counted):
        return None
    return sum(Quantity(each["usage"][resource]).milli_value for each in counted)


def _metric(metrics: Document, value: int) -> PodMetric:
    window = timedelta(seconds=parse_duration(metrics["window"]))
    return PodMetric(datetime.fromisoformat(metrics["timestamp"]), window, value)
