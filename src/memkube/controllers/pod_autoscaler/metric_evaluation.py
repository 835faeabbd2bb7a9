"""Evaluates one metric of an autoscaler: the replicas that it proposes, and its status (``horizontal.go``)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from memkube.apimachinery import labels
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.meta.v1.selectors import LabelSelector as LabelSelectorModel
from memkube.apimachinery.meta.v1.selectors import printed
from memkube.apimachinery.quantity import Format, Quantity
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import (
    ContainerResourceMetricSource,
    ContainerResourceMetricStatus,
    ExternalMetricSource,
    ExternalMetricStatus,
    MetricIdentifier,
    MetricSpec,
    MetricStatus,
    MetricTarget,
    MetricValueStatus,
    ObjectMetricSource,
    ObjectMetricStatus,
    PodsMetricSource,
    PodsMetricStatus,
    ResourceMetricSource,
    ResourceMetricStatus,
)
from memkube.controllers.pod_autoscaler.metrics_client import MetricsClient, MetricsError, PodMetric
from memkube.controllers.pod_autoscaler.replica_calculator import (
    Proposal,
    Tolerances,
    counted_values,
    group_pods,
    per_pod_replicas,
    requests_of,
    usage_replicas,
    utilization_replicas,
    value_replicas,
)
from memkube.registry.objects.stored import StoredObject

_MOST: Final = 2**63 - 1
_NANO_PER_MILLI: Final = 10**6


class Evaluated(NamedTuple):
    """Result of one metric: the replicas that it proposes, its description for messages, and its status."""

    replicas: int
    description: str
    status: MetricStatus


class InvalidMetric(Exception):
    """Raised if a metric cannot be evaluated. Its text becomes part of the message about all such metrics."""

    def __init__(self, reason: str, why: object, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """Reason in the condition ScalingActive, and in the Event about the invalid metric."""
        self.why = str(why)
        """Message of the Event about the invalid metric."""


class MetricEvaluation:
    """Evaluates the metrics of one autoscaler, all of them for the same pods and with the same tolerances."""

    def __init__(
        self,
        client: MetricsClient,
        namespace: str,
        selector: LabelSelector,
        pods: Sequence[StoredObject],
        tolerances: Tolerances,
        now: datetime,
    ) -> None:
        self._client = client
        self._namespace = namespace
        self._selector = selector
        self._pods = pods
        self._tolerances = tolerances
        self._now = now

    async def evaluate(self, metric: MetricSpec, current: int, observed: int) -> Evaluated:
        """Return the number of replicas that a metric proposes, and the metric's status.

        `current` is the number of replicas in the target's spec, and `observed` the number in its status.

        Raises InvalidMetric if the metric is not available.
        """
        if metric.object is not None:
            return self._of_object(metric.object, current, observed)
        if metric.pods is not None:
            return self._of_pods(metric.pods, current)
        if metric.resource is not None:
            return await self._resource(metric.resource, current)
        if metric.containerResource is not None:
            return await self._container_resource(metric.containerResource, current)
        assert metric.external is not None
        return self._external(metric.external, current, observed)

    async def _resource(self, source: ResourceMetricSource, current: int) -> Evaluated:
        try:
            proposal, value = await self._resource_usage(source.name, "", source.target, current)
        except MetricsError as error:
            message = f"failed to get {source.name} resource metric value: {error}"
            raise InvalidMetric("FailedGetResourceMetric", error, message) from None
        status = MetricStatus(type="Resource", resource=ResourceMetricStatus(name=source.name, current=value))
        return Evaluated(proposal.replicas, _described(source.name, "resource", proposal), status)

    async def _container_resource(self, source: ContainerResourceMetricSource, current: int) -> Evaluated:
        try:
            proposal, value = await self._resource_usage(source.name, source.container, source.target, current)
        except MetricsError as error:
            message = f"failed to get {source.container} container metric value: {error}"
            raise InvalidMetric("FailedGetContainerResourceMetric", error, message) from None
        what = "resource" if proposal.utilization is None else "container resource"
        shown = ContainerResourceMetricStatus(name=source.name, container=source.container, current=value)
        status = MetricStatus(type="ContainerResource", containerResource=shown)
        return Evaluated(proposal.replicas, _described(source.name, what, proposal), status)

    async def _resource_usage(
        self, resource: str, container: str, target: MetricTarget, current: int
    ) -> tuple[Proposal, MetricValueStatus]:
        """Calculate the replicas for a metric of CPU or memory usage, and the value for the metric's status.

        `target` is the target in the spec of the metric, and `current` the present number of replicas. If `container`
        is not empty, only the usage of this container counts. Raises MetricsError if the usage is not available.
        """
        kind = "usage" if target.averageValue is not None else "utilization"
        try:
            metrics = await self._resource_metric(resource, container)
            groups = group_pods(self._some_pods(), metrics, resource, self._now)
            values = counted_values(metrics, groups)
            if target.averageValue is not None:
                average = target.averageValue.milli_value
                proposal = usage_replicas(current, average, values, groups, self._tolerances)
            else:
                requests = requests_of(self._pods, container, resource)
                wanted = target.averageUtilization or 0
                proposal = utilization_replicas(current, wanted, values, requests, groups, self._tolerances)
        except MetricsError as error:
            raise MetricsError(f"failed to get {resource} {kind}: {error}") from None
        form: Format = "BinarySI" if resource == "memory" else "DecimalSI"
        value = Quantity.of(proposal.usage * _NANO_PER_MILLI, form)
        return proposal, MetricValueStatus(averageValue=value, averageUtilization=proposal.utilization)

    async def _resource_metric(self, resource: str, container: str) -> dict[str, PodMetric]:
        try:
            return await self._client.resource_metric(resource, self._namespace, self._selector, container)
        except MetricsError as error:
            raise MetricsError(f"unable to get metrics for resource {resource}: {error}") from None

    def _of_pods(self, source: PodsMetricSource, current: int) -> Evaluated:
        name, average = source.metric.name, source.target.averageValue
        assert average is not None
        try:
            metrics = self._pods_metric(source.metric)
            groups = group_pods(self._some_pods(), metrics, "", self._now)
            values = counted_values(metrics, groups)
        except MetricsError as error:
            message = f"failed to get pods metric value: {error}"
            raise InvalidMetric("FailedGetPodsMetric", error, message) from None
        proposal = usage_replicas(current, average.milli_value, values, groups, self._tolerances)
        shown = PodsMetricStatus(metric=source.metric, current=MetricValueStatus(averageValue=_shown(proposal.usage)))
        return Evaluated(proposal.replicas, f"pods metric {name}", MetricStatus(type="Pods", pods=shown))

    def _pods_metric(self, metric: MetricIdentifier) -> dict[str, PodMetric]:
        selector = _metric_selector(metric)
        try:
            return self._client.pods_metric(metric.name, self._namespace, self._pods, selector)
        except MetricsError as error:
            raise MetricsError(f"unable to get metric {metric.name}: {error}") from None

    def _of_object(self, source: ObjectMetricSource, current: int, observed: int) -> Evaluated:
        metric, described, target = source.metric, source.describedObject, source.target
        try:
            usage = self._object_metric(source)
            proposal, value = self._shared(target, usage, current, observed, is_external=False)
        except MetricsError as error:
            prefix = "" if target.value is not None else f"failed to get {metric.name} object metric: "
            message = f"failed to get object metric value: {prefix}{error}"
            raise InvalidMetric("FailedGetObjectMetric", error, message) from None
        shown = ObjectMetricStatus(metric=metric, describedObject=described, current=value)
        about = f"{described.kind} metric {metric.name}" if target.value is not None else _external(metric)
        return Evaluated(proposal.replicas, about, MetricStatus(type="Object", object=shown))

    def _object_metric(self, source: ObjectMetricSource) -> int:
        metric, described = source.metric, source.describedObject
        selector = _metric_selector(metric)
        try:
            return self._client.object_metric(metric.name, self._namespace, described, selector)
        except MetricsError as error:
            described_object = f"{described.kind} on {self._namespace} {described.name}"
            raise MetricsError(f"unable to get metric {metric.name}: {described_object}/{error}") from None

    def _external(self, source: ExternalMetricSource, current: int, observed: int) -> Evaluated:
        metric, target = source.metric, source.target
        try:
            usage = self._external_metric(metric)
            proposal, value = self._shared(target, usage, current, observed, is_external=True)
        except MetricsError as error:
            what = f"{metric.name} external metric" if target.value is None else f"external metric {metric.name}"
            message = f"failed to get {metric.name} external metric value: failed to get {what}: {error}"
            raise InvalidMetric("FailedGetExternalMetric", error, message) from None
        shown = ExternalMetricStatus(metric=metric, current=value)
        return Evaluated(proposal.replicas, _external(metric), MetricStatus(type="External", external=shown))

    def _external_metric(self, metric: MetricIdentifier) -> int:
        selector = _metric_selector(metric)
        try:
            values = self._client.external_metric(metric.name, self._namespace, selector)
        except MetricsError as error:
            metric_key = f"{self._namespace}/{metric.name}/{printed(metric.selector)}"
            raise MetricsError(f"unable to get external metric {metric_key}: {error}") from None
        return min(sum(values), _MOST)

    def _shared(
        self, target: MetricTarget, usage: int, current: int, observed: int, *, is_external: bool
    ) -> tuple[Proposal, MetricValueStatus]:
        """Calculate the replicas for an Object or External metric, which has one value for all pods together.

        `usage` is this value in thousandths. `current` is the number of replicas in the target's spec, and `observed`
        the number in its status.
        """
        if target.value is not None:
            replicas = value_replicas(current, usage, target.value.milli_value, self._pods, self._tolerances)
            return Proposal(replicas, usage), MetricValueStatus(value=_shown(usage))
        assert target.averageValue is not None
        average = target.averageValue.milli_value
        proposal = per_pod_replicas(observed, usage, average, self._tolerances, is_external=is_external)
        return proposal, MetricValueStatus(averageValue=_shown(proposal.usage))

    def _some_pods(self) -> Sequence[StoredObject]:
        """Return the pods of the scale target. Raises MetricsError if it has none."""
        if not self._pods:
            raise MetricsError("no pods returned by selector while calculating replica count")
        return self._pods


def _metric_selector(metric: MetricIdentifier) -> LabelSelector:
    """Return the label selector of a custom or external metric; if it has none, a selector of all its values."""
    return labels.from_model(metric.selector or LabelSelectorModel())


def _described(resource: str, what: str, proposal: Proposal) -> str:
    share = "" if proposal.utilization is None else " utilization (percentage of request)"
    return f"{resource} {what}{share}"


def _external(metric: MetricIdentifier) -> str:
    return f"external metric {metric.name}({printed(metric.selector)})"


def _shown(milli: int) -> Quantity:
    return Quantity.of(milli * _NANO_PER_MILLI)
