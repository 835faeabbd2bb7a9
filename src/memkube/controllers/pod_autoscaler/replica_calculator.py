"""Calculates a number of replicas from a metric and its target (``replica_calculator.go``)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.podspec.aggregate_resources import is_pod_level_resource, pod_requests
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.controllers.pod_autoscaler import int32
from memkube.controllers.pod_autoscaler.metrics_client import MetricsError, PodMetric
from memkube.controllers.workloads.pod_state import is_ready, is_terminating
from memkube.registry.objects.stored import StoredObject

_MOST: Final = 2**63 - 1
_INITIALIZATION: Final = timedelta(minutes=5)
"""Time after the start of a pod during which high CPU usage may come from its initialization."""
_READINESS_DELAY: Final = timedelta(seconds=30)
"""Time after the start of a pod during which its first readiness probe may not have finished."""


@dataclass(frozen=True, slots=True)
class Tolerances:
    """Deviations from the target, as fractions, at which an autoscaler does not scale yet."""

    scale_down: float = 0.1
    scale_up: float = 0.1

    def include(self, ratio: float) -> bool:
        """True if the ratio of usage to target is so close to 1 that the autoscaler does not scale."""
        return 1.0 - self.scale_down <= ratio <= 1.0 + self.scale_up


class Proposal(NamedTuple):
    """Number of replicas that a metric proposes, and the usage from which it was calculated."""

    replicas: int
    usage: int
    """Usage in thousandths: the average of the pods, or the value of an object or of an external metric."""
    utilization: int | None = None
    """Average usage of the pods in percent of their requests; None for other metrics."""


@dataclass(frozen=True, slots=True)
class PodGroups:
    """Pods of a scale target, grouped by how their metrics are used in the calculation (``groupPods``)."""

    ready: int
    """Number of pods whose metrics are used."""
    unready: Sequence[str]
    """Names of pods that are pending or, for CPU metrics, not ready."""
    missing: Sequence[str]
    """Names of pods without a metric."""
    ignored: Sequence[str]
    """Names of pods that have failed or are terminating. They are not counted at all."""


def group_pods(
    pods: Sequence[StoredObject], metrics: Mapping[str, PodMetric], resource: str, now: datetime
) -> PodGroups:
    """Group the pods of a scale target by how their metrics are used in the calculation of replicas.

    `metrics` has the metrics by pod name. If `resource` is ``cpu``, metrics of pods that were not ready at the time of
    the measurement are not used.
    """
    ready, unready, missing, ignored = 0, list[str](), list[str](), list[str]()
    for pod in pods:
        phase = pod.document["status"].get("phase")
        if is_terminating(pod) or phase == "Failed":
            ignored.append(pod.name)
        elif phase == "Pending":
            unready.append(pod.name)
        elif pod.name not in metrics:
            missing.append(pod.name)
        elif resource == "cpu" and _is_unready(pod.document["status"], metrics[pod.name], now):
            unready.append(pod.name)
        else:
            ready += 1
    return PodGroups(ready, unready, missing, ignored)


def _is_unready(status: Document, metric: PodMetric, now: datetime) -> bool:
    """True if `metric`, the CPU usage of a pod with this status, may come from the pod's initialization.

    Such a usage is ignored. Soon after the start of a pod, its usage is ignored unless the pod was ready during the
    whole measurement. Later, it is ignored only if the pod has never been ready.
    """
    conditions: list[dict[str, Any]] = status.get("conditions") or []
    condition = next((each for each in conditions if each["type"] == "Ready"), None)
    start = status.get("startTime")
    if condition is None or start is None:
        return True
    started, is_false = datetime.fromisoformat(start), condition["status"] == "False"
    since = condition.get("lastTransitionTime")
    changed = datetime.fromisoformat(since) if since else datetime.min.replace(tzinfo=now.tzinfo)
    if started + _INITIALIZATION > now:
        return is_false or metric.timestamp < changed + metric.window
    return is_false and started + _READINESS_DELAY > changed


def counted_values(metrics: Mapping[str, PodMetric], groups: PodGroups) -> dict[str, int]:
    """Return the metric values by pod name, without those of the ignored and unready pods in `groups`.

    Raises MetricsError if no values remain.
    """
    left_out = {*groups.ignored, *groups.unready}
    values = {name: metric.value for name, metric in metrics.items() if name not in left_out}
    if not values:
        raise MetricsError("did not receive metrics for targeted pods (pods might be unready)")
    return values


def utilization_replicas(
    current: int,
    target: int,
    values: Mapping[str, int],
    requests: Mapping[str, int],
    groups: PodGroups,
    tolerances: Tolerances,
) -> Proposal:
    """Calculate the replicas from the usage of pods (`values`) in percent of their `requests`.

    `current` is the present number of replicas, and `target` the desired percentage. `groups` has the pods without
    usable metrics. A ratio of usage to target within `tolerances` changes nothing. Raises MetricsError if no pod has
    both a metric and a request.
    """

    def ratio(values: Mapping[str, int]) -> float:
        return _utilization(values, requests) / target

    def fallback(pod: str) -> int:
        return requests[pod] * max(100, target) // 100

    replicas = _replicas(current, values, ratio, fallback, groups, tolerances)
    known = [name for name in values if name in requests]
    average = sum(values[name] for name in known) // len(known)
    return Proposal(replicas, average, _utilization(values, requests))


def usage_replicas(
    current: int, target: int, values: Mapping[str, int], groups: PodGroups, tolerances: Tolerances
) -> Proposal:
    """Calculate the replicas from the usage of pods (`values`, by pod name). `target` is the desired average.

    Usage and target are in thousandths. `current` is the present number of replicas. `groups` has the pods without
    usable metrics. A ratio of usage to target within `tolerances` changes nothing.
    """

    def ratio(values: Mapping[str, int]) -> float:
        return (sum(values.values()) // len(values)) / target

    replicas = _replicas(current, values, ratio, lambda _: target, groups, tolerances)
    return Proposal(replicas, sum(values.values()) // len(values))


def _replicas(
    current: int,
    values: Mapping[str, int],
    ratio_of: Callable[[Mapping[str, int]], float],
    fallback: Callable[[str], int],
    groups: PodGroups,
    tolerances: Tolerances,
) -> int:
    """Calculate the replicas from the ratio of the pods' usage to its target.

    `ratio_of` takes the usage by pod name, and returns this ratio. `values` has the usage by pod name, and `groups` the
    pods without usable metrics. If the ratio is within `tolerances`, the result is `current`.

    If the other pods would cause a scale-up, unready pods and pods without a metric count as using nothing. If the
    other pods would cause a scale-down, a pod without a metric counts as using what `fallback` returns for its name,
    and unready pods do not count. If the ratio then implies the opposite direction, the result is `current`.
    """
    ratio = ratio_of(values)
    counts_unready = bool(groups.unready) and ratio > 1.0
    if not counts_unready and not groups.missing:
        return current if tolerances.include(ratio) else int32.rounded_up(ratio * groups.ready)
    assumed = dict(values)
    if ratio != 1.0:
        assumed |= {pod: fallback(pod) if ratio < 1.0 else 0 for pod in groups.missing}
    if counts_unready:
        assumed |= dict.fromkeys(groups.unready, 0)
    new = ratio_of(assumed)
    if tolerances.include(new) or new < 1.0 < ratio or ratio < 1.0 < new:
        return current
    replicas = int32.rounded_up(new * len(assumed))
    turns = (new < 1.0 and replicas > current) or (new > 1.0 and replicas < current)
    return current if turns else replicas


def _utilization(values: Mapping[str, int], requests: Mapping[str, int]) -> int:
    """Return the total usage of pods (`values`, by pod name) in percent of their total requests.

    Pods without a request are left out. Raises MetricsError if no pod has a request.
    """
    used = sum(value for name, value in values.items() if name in requests)
    requested = sum(requests[name] for name in values if name in requests)
    if requested == 0:
        raise MetricsError("no metrics returned matched known pods")
    return int32.wrapped(used * 100 // requested)


def requests_of(pods: Sequence[StoredObject], container: str, resource: str) -> dict[str, int]:
    """Return the resource requests of pods in thousandths, by pod name.

    These are pod-level requests, or the sums of the containers' requests. If `container` is not empty, only this
    container's request counts. Raises MetricsError if a request is missing.
    """
    return {pod.name: _request(pod, container, resource) for pod in pods}


def _request(pod: StoredObject, container: str, resource: str) -> int:
    spec: Document = pod.document["spec"]
    whole: dict[str, str] = (spec.get("resources") or {}).get("requests") or {}
    if not container and any(is_pod_level_resource(name) for name in whole):
        requests = pod_requests(PodSpec.from_document(spec))
        if resource not in requests:
            raise MetricsError(f"missing pod-level request for {resource} in Pod {pod.name}")
        return requests[resource].milli_value
    sidecars = [each for each in spec.get("initContainers") or () if each.get("restartPolicy") == "Always"]
    counted = [each for each in (*spec["containers"], *sidecars) if container in ("", each["name"])]
    if container and not counted:
        raise MetricsError(f"container {container} not found in Pod {pod.name}")
    total = 0
    for each in counted:
        requested = ((each.get("resources") or {}).get("requests") or {}).get(resource)
        if requested is None:
            raise MetricsError(f"missing request for {resource} in container {each['name']} of Pod {pod.name}")
        total += Quantity(requested).milli_value
    return total


def value_replicas(current: int, usage: int, target: int, pods: Sequence[StoredObject], tolerances: Tolerances) -> int:
    """Calculate the replicas from `usage`, a metric's value for all pods together. `target` is its desired value.

    `current` is the present number of replicas. A ratio of value to target within `tolerances` changes nothing. Raises
    MetricsError if `pods`, the pods of the scale target, is empty.
    """
    ratio = usage / target
    if current == 0:
        return int32.rounded_up(ratio)
    if tolerances.include(ratio):
        return current
    if not pods:
        raise MetricsError(
            "unable to calculate ready pods: no pods returned by selector while calculating replica count"
        )
    ready = sum(pod.document["status"].get("phase") == "Running" and is_ready(pod) for pod in pods)
    return _at_most_largest(ratio * ready)


def per_pod_replicas(observed: int, usage: int, target: int, tolerances: Tolerances, *, is_external: bool) -> Proposal:
    """Calculate the replicas from `usage`, one metric value for all pods, so that each pod's share of it is `target`.

    `observed` is the number of replicas in the status of the scale target. It is kept if the share of each of these
    replicas deviates from `target` by no more than `tolerances`.

    As in Kubernetes, a number of replicas that does not fit into 32 bits is replaced. For an external metric
    (`is_external`) it becomes the largest 32-bit integer, for other metrics the smallest one.
    """
    per_pod = target * observed
    is_close = bool(per_pod) and tolerances.include(usage / per_pod)
    wanted = usage / target
    replicas = observed if is_close else _at_most_largest(wanted) if is_external else int32.rounded_up(wanted)
    if usage >= _MOST:
        return Proposal(replicas, _MOST)
    # Without pods the average is infinite. Return the smallest integer then, to which Go converts infinity.
    return Proposal(replicas, math.ceil(usage / observed) if observed else -_MOST - 1)


def _at_most_largest(replicas: float) -> int:
    return min(math.ceil(replicas), int32.LARGEST)
