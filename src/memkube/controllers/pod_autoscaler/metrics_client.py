"""Reads the metrics of pods and objects for autoscalers, in thousandths (``podautoscaler/metrics``)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from memkube.apimachinery.duration import parse_duration
from memkube.apimachinery.errors import GroupResource
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import CrossVersionObjectReference
from memkube.controllers.framework.saved_values import METRIC_VALUES
from memkube.controllers.pod_autoscaler.metric_values import MetricValue
from memkube.registry.declarations.request_options import ListOptions, Selection
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry

_POD_METRICS: Final = ("metrics.k8s.io", "v1beta1", "pods")
_CUSTOM: Final = "unable to fetch metrics from custom metrics API"
_WINDOW: Final = timedelta(seconds=60)
"""Measurement window of custom metrics that do not specify one."""


class MetricsError(Exception):
    """Raised if a metric is not available. The message is that of kube-controller-manager."""


class PodMetric(NamedTuple):
    """Value of a metric for one pod, with the time and the window of its measurement."""

    timestamp: datetime
    window: timedelta
    value: int
    """Value of the metric in thousandths."""


class MetricsClient:
    """Reads the resource metrics of pods, and the custom and external metrics that users have set."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def resource_metric(
        self, resource: str, namespace: str, selector: LabelSelector, container: str
    ) -> dict[str, PodMetric]:
        """Return the CPU or memory usage of the selected pods, by pod name.

        If `container` is not empty, only the usage of this container counts. Pods without metrics are left out. Raises
        MetricsError if no pod has metrics, or if the API of resource metrics is not served.
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

    def pods_metric(
        self, name: str, namespace: str, pods: Sequence[StoredObject], selector: LabelSelector
    ) -> dict[str, PodMetric]:
        """Return the values of the custom metric `name` of `pods`, by pod name. `selector` is for the metric's labels.

        Raises MetricsError if no pod has the metric.
        """
        self._check_custom()
        values = self._values("Pods", name, namespace, selector)
        now, found = self._registry.clock.now(), dict[str, PodMetric]()
        for pod in pods:
            value = next((each for each in values if each.pods.matches(pod.labels)), None)
            if value is not None:
                found[pod.name] = PodMetric(now, _WINDOW, value.value.milli_value)
        if not found:
            raise MetricsError(f"{_CUSTOM}: the server could not find the metric {name} for pods")
        return found

    def object_metric(
        self, name: str, namespace: str, described: CrossVersionObjectReference, selector: LabelSelector
    ) -> int:
        """Return the value of the custom metric `name` of the object `described`, in thousandths.

        `selector` must match the labels of the metric. Raises MetricsError if the object has no such metric.
        """
        self._check_custom()
        about = (described.apiVersion.rpartition("/")[0], described.kind, described.name)
        for value in self._values("Object", name, namespace, selector):
            if (value.group, value.kind, value.name) == about:
                return value.value.milli_value
        resource = self._plural(*about[:2])
        raise MetricsError(f"{_CUSTOM}: the server could not find the metric {name} for {resource} {described.name}")

    def external_metric(self, name: str, namespace: str, selector: LabelSelector) -> Sequence[int]:
        """Return the values of an external metric whose metric labels match `selector`, in thousandths.

        Raises MetricsError if there are none.
        """
        if not self._has("External"):
            raise MetricsError(
                "unable to fetch metrics from external metrics API: "
                f"the server could not find the requested resource (get {name}.external.metrics.k8s.io)"
            )
        values = self._values("External", name, namespace, selector)
        if not values:
            raise MetricsError("no metrics returned from external metrics API")
        return [value.value.milli_value for value in values]

    def _check_custom(self) -> None:
        """Raise MetricsError if users have set no custom metric. This simulates a cluster without a metrics adapter."""
        if not self._has("Pods", "Object"):
            raise MetricsError(f"{_CUSTOM}: no custom metrics API (custom.metrics.k8s.io) registered")

    def _has(self, *types: str) -> bool:
        return any(value["type"] in types for value in self._registry.shared_state.items(METRIC_VALUES).values())

    def _values(self, kind: str, metric: str, namespace: str, selector: LabelSelector) -> "Sequence[MetricValue]":
        """Return the values of a metric that apply to a namespace and whose metric labels match `selector`.

        They are sorted by the names that users gave them. `kind` is the type of the metric: Pods, Object or External.
        """
        saved = sorted(self._registry.shared_state.items(METRIC_VALUES).items())
        named = (value for _, value in saved if (value["type"], value["metric"]) == (kind, metric))
        values = (MetricValue.model_validate(value) for value in named)
        return [value for value in values if value.answers(namespace, selector)]

    def _plural(self, group: str, kind: str) -> GroupResource:
        """Return the plural name of a kind's resource, or the kind itself if it is not served."""
        of_kind = (each for each in self._registry.catalog if (each.group, each.kind) == (group, kind))
        resource = next(of_kind, None)
        return GroupResource(group, kind) if resource is None else resource.group_resource


def _usage(metrics: Document, resource: str, container: str) -> int | None:
    """Return the usage of a pod or of one of its containers, in thousandths.

    Returns None if the metrics of a container are missing.
    """
    containers: list[dict[str, Any]] = metrics["containers"]
    counted = [each for each in containers if container in ("", each["name"])]
    if not counted or any(resource not in each["usage"] for each in counted):
        return None
    return sum(Quantity(each["usage"][resource]).milli_value for each in counted)


def _metric(metrics: Document, value: int) -> PodMetric:
    window = timedelta(seconds=parse_duration(metrics["window"]))
    return PodMetric(datetime.fromisoformat(metrics["timestamp"]), window, value)
