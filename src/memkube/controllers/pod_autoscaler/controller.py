"""The HorizontalPodAutoscaler controller: scales workloads by metrics (``horizontal.go``)."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from memkube.apimachinery import labels
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.model import Document
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import (
    HorizontalPodAutoscaler,
    HorizontalPodAutoscalerStatus,
    MetricStatus,
)
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.pod_autoscaler.conditions import Conditions
from memkube.controllers.pod_autoscaler.metric_evaluation import Evaluated, InvalidMetric, MetricEvaluation
from memkube.controllers.pod_autoscaler.metrics_client import MetricsClient
from memkube.controllers.pod_autoscaler.replica_calculator import Tolerances
from memkube.controllers.pod_autoscaler.scaling_history import Limits, Moment, ScalingHistory
from memkube.controllers.pod_autoscaler.targets import Target, TargetError, target_of
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

Key: TypeAlias = tuple[str, str]
_AUTOSCALERS: Final = ("autoscaling", "v2", "horizontalpodautoscalers")
_PERIOD: Final = 15.0
"""Seconds between two reconciliations (``--horizontal-pod-autoscaler-sync-period``)."""
_SAVED: Final = "horizontal-pod-autoscaler"
_ABOVE: Final = "Current number of replicas above Spec.MaxReplicas"
_BELOW: Final = "Current number of replicas below Spec.MinReplicas"
_LOGGER: Final = logging.getLogger("memkube.controllers")


class _NoReplicas(Exception):
    """Raised if the metrics of an autoscaler yield no number of replicas."""


@dataclass(slots=True)
class _Reconciliation:
    """Inputs and results of one reconciliation of a HorizontalPodAutoscaler."""

    stored: StoredObject
    autoscaler: HorizontalPodAutoscaler
    conditions: Conditions
    history: ScalingHistory
    metrics: list[MetricStatus] = field(default_factory=list)
    reason: str = ""
    """Reason of the change in the Event SuccessfulRescale; empty if the number of replicas does not change."""

    @property
    def lowest(self) -> int:
        """Minimum number of replicas: ``minReplicas``, or 1 if it is not set."""
        minimum = self.autoscaler.spec.minReplicas
        return 1 if minimum is None else minimum

    @property
    def tolerances(self) -> Tolerances:
        """Tolerances for scaling up and down, from ``spec.behavior`` or by default."""
        behavior, default = self.autoscaler.spec.behavior, Tolerances()
        down = behavior.scaleDown.tolerance if behavior is not None and behavior.scaleDown is not None else None
        up = behavior.scaleUp.tolerance if behavior is not None and behavior.scaleUp is not None else None
        return Tolerances(
            default.scale_down if down is None else down.nano / 10**9,
            default.scale_up if up is None else up.nano / 10**9,
        )


class HorizontalPodAutoscalerController:
    """Reconciles each HorizontalPodAutoscaler every 15 seconds."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._recorder = EventRecorder(runtime, "horizontal-pod-autoscaler")
        self._metrics = MetricsClient(runtime.registry)
        self._selectors: dict[str, dict[str, LabelSelector]] = {}
        """Selectors of the pods that each HorizontalPodAutoscaler scales, by its name, in each namespace."""
        self._histories = {
            (saved["namespace"], saved["name"]): ScalingHistory.restored(saved)
            for saved in runtime.keep(_SAVED, self._saved)
        }
        self._queue = runtime.queue("horizontalpodautoscaler", self._sync)
        self._pods = runtime.informers.of("", "v1", "pods")
        self._autoscalers = runtime.informers.of(*_AUTOSCALERS)
        self._autoscalers.subscribe(self._on_autoscaler)

    def _on_autoscaler(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            self._queue.add_after((new.namespace, new.name), _PERIOD)
            self._selectors.setdefault(new.namespace, {}).setdefault(new.name, LabelSelector.nothing())
        elif old is not None:
            selectors = self._selectors.get(old.namespace, {})
            selectors.pop(old.name, None)
            if not selectors:
                self._selectors.pop(old.namespace, None)

    async def _sync(self, key: Key) -> None:
        stored = self._autoscalers.get(*key)
        if stored is None:
            self._histories.pop(key, None)
            return
        autoscaler = HorizontalPodAutoscaler.from_document(stored.document)
        conditions = Conditions(autoscaler.status.conditions, written_now(self._runtime.clock))
        history = self._histories.setdefault(key, ScalingHistory())
        try:
            await self._reconcile(_Reconciliation(stored, autoscaler, conditions, history))
        except ApiError as error:
            _LOGGER.debug("autoscaler %s: %s", "/".join(key), error)
        finally:
            self._queue.add_after(key, _PERIOD)

    async def _reconcile(self, work: _Reconciliation) -> None:
        """Scale the target of the autoscaler in `work` as its metrics require, and write the autoscaler's status."""
        spec, status = work.autoscaler.spec, work.autoscaler.status
        try:
            target = await target_of(self._runtime, work.stored.namespace, spec.scaleTargetRef)
        except TargetError as error:
            await self._warn(work, "FailedGetScale", str(error))
            message = f"the HPA controller was unable to get the target's current scale: {error}"
            work.conditions.set("AbleToScale", "FailedGetScale", message, holds=False)
            await self._write(work, status.model_copy(update={"conditions": work.conditions.listed()}))
            return
        message = "the HPA controller was able to get the target's current scale"
        work.conditions.set("AbleToScale", "SucceededGetScale", message)
        current = target.replicas
        if not work.history.recommendations:
            work.history.recommendations.append(Moment(current, self._runtime.clock.now()))
        try:
            desired = await self._desired(work, target)
        except _NoReplicas as error:
            await self._write(work, self._status(work, current, status.desiredReplicas))
            await self._warn(work, "FailedComputeMetricsReplicas", str(error))
            return
        if desired != current and not await self._rescale(work, target, desired):
            await self._write(work, self._status(work, current, status.desiredReplicas))
            return
        await self._write(work, self._status(work, current, desired))

    async def _desired(self, work: _Reconciliation, target: Target) -> int:
        """Return the number of replicas that the scale target of the autoscaler in `work` should have.

        Raises _NoReplicas if the metrics yield no number.
        """
        current, spec = target.replicas, work.autoscaler.spec
        if current == 0:
            message = "scaling is disabled since the replica count of the target is zero"
            work.conditions.set("ScalingActive", "ScalingDisabled", message, holds=False)
            work.conditions.drop("ScaledToZero")
            return 0
        if current > spec.maxReplicas:
            work.reason = _ABOVE
            return spec.maxReplicas
        if current < work.lowest:
            work.reason = _BELOW
            return work.lowest
        proposed, description = await self._proposed(work, target)
        if proposed > current:
            work.reason = f"{description} above target"
        elif proposed < current:
            work.reason = "All metrics below target"
        limits, now = Limits(current, work.lowest, spec.maxReplicas), self._runtime.clock.now()
        if spec.behavior is None:
            normalized = work.history.normalize(proposed, limits, now)
        else:
            normalized = work.history.normalize_with(spec.behavior, proposed, limits, now)
        reason, message = normalized.stabilization or ("ReadyForNewScale", "recommended size matches current size")
        work.conditions.set("AbleToScale", reason, message)
        reason, message = normalized.limitation
        work.conditions.set("ScalingLimited", reason, message, holds=normalized.is_limited)
        return normalized.replicas

    async def _proposed(self, work: _Reconciliation, target: Target) -> tuple[int, str]:
        """Return the highest number of replicas that a metric of the autoscaler proposes, and the metric's description.

        Raises _NoReplicas if no metric can be evaluated. If only some metrics cannot be evaluated, it is raised if the
        other metrics would scale down, because the missing metrics might not.
        """
        metrics = work.autoscaler.spec.metrics
        selector, pods = await self._selected(work, target)
        now, namespace = self._runtime.clock.now(), work.stored.namespace
        evaluation = MetricEvaluation(self._metrics, namespace, selector, pods, work.tolerances, now)
        best: Evaluated | None = None
        failures: list[InvalidMetric] = []
        for metric in metrics:
            try:
                found = await evaluation.evaluate(metric, target.replicas, target.observed_replicas)
            except InvalidMetric as error:
                await self._warn(work, error.reason, error.why)
                failures.append(error)
                work.metrics.append(MetricStatus())
                continue
            work.metrics.append(found.status)
            if best is None or best.replicas == 0 or found.replicas > best.replicas:
                best = found
        if best is None or (failures and best.replicas < target.replicas):
            first = failures[0]
            message = f"the HPA was unable to compute the replica count: {first.why}"
            work.conditions.set("ScalingActive", first.reason, message, holds=False)
            count = f"{len(failures)} invalid out of {len(metrics)}"
            raise _NoReplicas(f"invalid metrics ({count}), first error is: {first}")
        message = f"the HPA was able to successfully calculate a replica count from {best.description}"
        work.conditions.set("ScalingActive", "ValidMetricFound", message)
        return best.replicas, best.description

    async def _selected(self, work: _Reconciliation, target: Target) -> tuple[LabelSelector, Sequence[StoredObject]]:
        """Return the label selector of the autoscaler's scale target, and the pods that it selects, sorted by name.

        Raises _NoReplicas if the selector is missing or invalid, or if another autoscaler selects some of these pods.
        """
        namespace, text = work.stored.namespace, target.selector
        if not text:
            await self._warn(work, "SelectorRequired", "selector is required")
            message = "the HPA target's scale is missing a selector"
            work.conditions.set("ScalingActive", "InvalidSelector", message, holds=False)
            raise _NoReplicas("selector is required")
        try:
            selector = labels.parse(text)
        except ValueError as error:
            message = f"couldn't convert selector into a corresponding internal selector object: {error}"
            await self._fail(work, "InvalidSelector", message)
        known = self._selectors.get(namespace, {})
        if work.stored.name in known:
            known[work.stored.name] = selector
        named = self._pods.in_namespace(namespace)
        pods = [named[name] for name in sorted(name for name, pod in named.items() if selector.matches(pod.labels))]
        selecting = _selecting(known, pods)
        if len(selecting) > 1:
            names = " ".join(f"{namespace}/{name}" for name in selecting)
            message = f"pods by selector {text} are controlled by multiple HPAs: [{names}]"
            await self._fail(work, "AmbiguousSelector", message)
        return selector, pods

    async def _rescale(self, work: _Reconciliation, target: Target, desired: int) -> bool:
        """Write the `desired` number of replicas to the scale target. Returns False if the API server refuses that."""
        current, size = target.replicas, f"New size: {desired}; reason: {work.reason}"
        try:
            await target.rescale(desired)
        except ApiError as error:
            await self._warn(work, "FailedRescale", f"{size}; error: {error.message}")
            message = f"the HPA controller was unable to update the target scale: {error.message}"
            work.conditions.set("AbleToScale", "FailedUpdateScale", message, holds=False)
            return False
        message = f"the HPA controller was able to update the target scale to {desired}"
        work.conditions.set("AbleToScale", "SucceededRescale", message)
        await self._recorder.record(work.stored, Report("Normal", "SuccessfulRescale", size))
        work.history.record_change(work.autoscaler.spec.behavior, current, desired, self._runtime.clock.now())
        work.conditions.drop("ScaledToZero")
        work.autoscaler.status.lastScaleTime = written_now(self._runtime.clock)
        return True

    def _status(self, work: _Reconciliation, current: int, desired: int) -> HorizontalPodAutoscalerStatus:
        status = HorizontalPodAutoscalerStatus(
            currentReplicas=current,
            desiredReplicas=desired,
            lastScaleTime=work.autoscaler.status.lastScaleTime,
            conditions=work.conditions.listed(),
        )
        if work.metrics:
            # Without metrics the field stays null: an empty list would be a change, which managedFields record.
            status.currentMetrics = work.metrics
        return status

    async def _write(self, work: _Reconciliation, status: HorizontalPodAutoscalerStatus) -> None:
        """Write `status` into the autoscaler of the reconciliation `work`, unless the status is unchanged."""
        resource = self._runtime.catalog.find(*_AUTOSCALERS)
        before = HorizontalPodAutoscalerStatus.from_document(work.stored.document["status"])
        if resource is None or status == before:
            return

        def change(autoscaler: Any) -> None:
            autoscaler.status = status

        try:
            await self._runtime.client.update(resource, work.stored, change, subresource="status")
        except ApiError as error:
            await self._warn(work, "FailedUpdateStatus", error.message)
            raise

    async def _fail(self, work: _Reconciliation, reason: str, message: str) -> None:
        """Raise _NoReplicas with this message, after recording an Event about the autoscaler in `work`.

        The autoscaler's condition ScalingActive is set to False.
        """
        await self._warn(work, reason, message)
        work.conditions.set("ScalingActive", reason, message, holds=False)
        raise _NoReplicas(message)

    async def _warn(self, work: _Reconciliation, reason: str, message: str) -> None:
        await self._recorder.record(work.stored, Report("Warning", reason, message))

    def _saved(self) -> Sequence[Document]:
        return [
            {"namespace": namespace, "name": name, **history.saved()}
            for (namespace, name), history in self._histories.items()
        ]


def _selecting(selectors: dict[str, LabelSelector], pods: Sequence[StoredObject]) -> list[str]:
    """Return the names of the autoscalers whose selector in `selectors`, by name, matches at least one of the pods."""
    kinds = {tuple(sorted(pod.labels.items())) for pod in pods}
    return sorted(name for name, selector in selectors.items() if any(selector.matches(dict(kind)) for kind in kinds))
