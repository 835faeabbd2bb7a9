"""Quota evaluator for pods: their number, requests and limits (``pkg/quota/v1/evaluator/core/pods.go``)."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.pods.status import qos_class
from memkube.apis.core.v1.pods.types import ContainerStatus, Pod
from memkube.apis.core.v1.podspec.aggregate_resources import aggregate, is_pod_level_resource
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.scheduling import PodAffinityTerm
from memkube.apis.core.v1.podspec.validation.resources import HUGE_PAGES, is_extended_resource, is_native_resource
from memkube.apis.core.v1.resourcequotas.types import ScopedResourceSelectorRequirement
from memkube.quota.amounts import ONE, Amounts, add
from memkube.quota.evaluators import Evaluator, ObjectCount, is_selected
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.resource import Resource
from memkube.time.clock import Clock

DEVICE_CLASS: Final = "deviceclass.resource.kubernetes.io/"
_REQUESTS: Final = "requests."
_COMPUTE: Final = ("cpu", "memory", "ephemeral-storage")
_MANDATORY: Final = ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory")
"""Resources that every container must specify if a quota limits them."""


async def pods(resource: Resource, stores: Stores) -> Evaluator:
    """Return the quota evaluator for pods. `resource` is the API resource ``pods``; `stores` has the server's clock."""
    return Pods(resource, stores.clock)


class Pods(ObjectCount):
    """Evaluator for pods, which also counts the requests and limits of their containers."""

    def __init__(self, resource: Resource, clock: Clock) -> None:
        super().__init__(resource)
        self._clock = clock
        limits = (f"limits.{name}" for name in _COMPUTE)
        self._names = (self._count, "pods", *_COMPUTE, *(f"{_REQUESTS}{name}" for name in _COMPUTE), *limits)

    def handles(self, attributes: Attributes) -> bool:
        """True for a pod's creation or resize, and for an update that sets or removes ``activeDeadlineSeconds``."""
        if attributes.subresource:
            return attributes.subresource == "resize" and attributes.operation == "UPDATE"
        new, old = attributes.new, attributes.old
        if attributes.operation == "UPDATE" and isinstance(new, Pod) and isinstance(old, Pod):
            return _is_terminating(new.spec) != _is_terminating(old.spec)
        return attributes.operation == "CREATE"

    def matching(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name in self._names or _is_page_or_device(name)]

    def in_scope(self, requirement: ScopedResourceSelectorRequirement, obj: Any) -> bool:
        spec: PodSpec = obj.spec
        match requirement.scopeName:
            case "Terminating":
                return _is_terminating(spec)
            case "NotTerminating":
                return not _is_terminating(spec)
            case "BestEffort":
                return _quality(obj) == "BestEffort"
            case "NotBestEffort":
                return _quality(obj) != "BestEffort"
            case "PriorityClass":
                return is_selected(requirement, spec.priorityClassName or None)
            case "CrossNamespacePodAffinity":
                return any(term.namespaces or term.namespaceSelector is not None for term in _affinity_terms(spec))
            case _:
                return False

    def missing(self, required: Iterable[str], obj: Any) -> str:
        """Return a message about resources in `required` that containers must specify but lack; "" if they have all.

        Containers need not specify them if the pod specifies resources at pod level.
        """
        spec: PodSpec = obj.spec
        whole = spec.resources
        if whole is not None and any(is_pod_level_resource(name) for name in (*whole.requests, *whole.limits)):
            return ""
        containers = [(c.name, _charged(c.resources)) for c in (*spec.containers, *spec.initContainers)]
        lacking = {
            name: sorted({container for container, charged in containers if name not in charged})
            for name in sorted(set(required).intersection(_MANDATORY))
        }
        parts = [f"{name} for: {','.join(names)}" for name, names in lacking.items() if names]
        return f"must specify {'; '.join(parts)}" if parts else ""

    async def usage(self, obj: Any) -> Amounts:
        """Return the quota usage of a pod.

        A pod that has ended, or whose grace period is over, counts only as an object.
        """
        return pod_usage(obj, self._count, self._clock.now())

    def usage_ends(self, document: Document) -> datetime | None:
        """Return the end of a terminating pod's grace period, after which the pod uses no resources; otherwise None."""
        return _Lifetime.of(document).end

    def is_changed(self, old: Document, new: Document) -> bool:
        """True if an update can change what the pod charges to a quota.

        That is so if the resources in the status change, if ``activeDeadlineSeconds`` is set or removed (the scope
        Terminating), or if the pod ends.
        """
        deadlines = (old["spec"].get("activeDeadlineSeconds"), new["spec"].get("activeDeadlineSeconds"))
        if _have_resources_changed(old["status"], new["status"]) or (deadlines[0] is None) != (deadlines[1] is None):
            return True
        now = self._clock.now()
        return _Lifetime.of(old).is_charged(now) and not _Lifetime.of(new).is_charged(now)


def pod_usage(pod: Pod, count: str, now: datetime) -> Amounts:
    """Return the quota usage of a pod at the time `now`. `count` is the quota resource name that counts pods."""
    metadata = pod.metadata
    lifetime = _Lifetime(pod.status.phase, metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds)
    return {count: ONE, **_charged(_Resources(pod))} if lifetime.is_charged(now) else {count: ONE}


class _Resources:
    """Requests and limits of a whole pod (component-helpers' ``PodRequests`` and ``PodLimits``)."""

    def __init__(self, pod: Pod) -> None:
        spec, effective = pod.spec, _Effective(pod)
        overhead, whole = spec.overhead, spec.resources
        requests, limits = aggregate(spec, effective.requests), aggregate(spec, effective.limits)
        if whole is not None:
            requests |= {n: q for n, q in whole.requests.items() if is_pod_level_resource(n)}
            limits |= {n: q for n, q in whole.limits.items() if is_pod_level_resource(n)}
        self.requests: Amounts = add(requests, overhead)
        bounded = {name: quantity for name, quantity in overhead.items() if name in limits and limits[name].nano}
        self.limits: Amounts = add(limits, bounded)


class _Effective:
    """Requests and limits of containers. During a resize, the larger of the specified and the actual amounts counts."""

    def __init__(self, pod: Pod) -> None:
        statuses = (*pod.status.containerStatuses, *pod.status.initContainerStatuses)
        self._statuses: Mapping[str, ContainerStatus] = {status.name: status for status in statuses}
        self._once = {c.name for c in pod.spec.initContainers if c.restartPolicy != "Always"}
        pending = next((c for c in pod.status.conditions if c.type == "PodResizePending"), None)
        self._infeasible = pending is not None and pending.reason == "Infeasible"

    def requests(self, container: Container) -> Amounts:
        status, spec = self._status(container), container.resources.requests
        if status is None or status.resources is None:
            return spec
        actual = _larger(status.resources.requests, status.allocatedResources)
        return actual if self._infeasible else _larger(spec, actual)

    def limits(self, container: Container) -> Amounts:
        status, spec = self._status(container), container.resources.limits
        if status is None or status.resources is None:
            return spec
        return status.resources.limits if self._infeasible else _larger(spec, status.resources.limits)

    def _status(self, container: Container) -> ContainerStatus | None:
        return None if container.name in self._once else self._statuses.get(container.name)


def _larger(first: Amounts, second: Amounts) -> Amounts:
    larger = {n: q for n, q in second.items() if n not in first or q.nano > first[n].nano}
    return {**first, **larger}


def _charged(resources: Any) -> dict[str, Quantity]:
    """Convert requests and limits of a pod to quota resource names (``podComputeUsageHelper``)."""
    charged = {"pods": ONE}
    for name in _COMPUTE:
        if name in resources.requests:
            charged[name] = charged[f"{_REQUESTS}{name}"] = resources.requests[name]
        if name in resources.limits:
            charged[f"limits.{name}"] = resources.limits[name]
    for name, quantity in resources.requests.items():
        if name.startswith(HUGE_PAGES):
            charged[name] = charged[f"{_REQUESTS}{name}"] = quantity
        if is_extended_resource(name) or name.startswith(DEVICE_CLASS):
            charged[f"{_REQUESTS}{name}"] = quantity
    return charged


def _is_page_or_device(name: str) -> bool:
    return name.startswith((HUGE_PAGES, f"{_REQUESTS}{HUGE_PAGES}")) or is_requested_device(name)


def is_requested_device(name: str) -> bool:
    """True for quota resources of extended resources or device classes, such as ``requests.example.com/gpu``."""
    is_device = not is_native_resource(name) or name.startswith(f"{_REQUESTS}{DEVICE_CLASS}")
    return is_device and name.startswith(_REQUESTS)


def _is_terminating(spec: PodSpec) -> bool:
    return spec.activeDeadlineSeconds is not None and spec.activeDeadlineSeconds >= 0


def _quality(pod: Pod) -> str:
    return pod.status.qosClass or qos_class(pod.spec)


class _Lifetime(NamedTuple):
    """Phase, deletionTimestamp and grace period of a pod, which decide whether its resources count."""

    phase: str
    deleted: str | None
    grace_seconds: int | None

    @classmethod
    def of(cls, pod: Document) -> "_Lifetime":
        metadata = pod["metadata"]
        deleted, grace = metadata.get("deletionTimestamp"), metadata.get("deletionGracePeriodSeconds")
        return cls(pod["status"].get("phase", ""), deleted, grace)

    @property
    def end(self) -> datetime | None:
        """End of the pod's grace period; None unless the pod is terminating."""
        if self.deleted is None or self.grace_seconds is None:
            return None
        return datetime.fromisoformat(self.deleted) + timedelta(seconds=self.grace_seconds)

    def is_charged(self, now: datetime) -> bool:
        """True if, at the time `now`, the pod has not ended and its grace period is not over (``QuotaV1Pod``)."""
        end = self.end
        return self.phase not in ("Failed", "Succeeded") and (end is None or now <= end)


def _have_resources_changed(old: Document, new: Document) -> bool:
    for field in ("containerStatuses", "initContainerStatuses"):
        resources = {status["name"]: status.get("resources") for status in new.get(field) or ()}
        for status in old.get(field) or ():
            if status["name"] in resources and status.get("resources") != resources[status["name"]]:
                return True
    return False


def _affinity_terms(spec: PodSpec) -> Iterable[PodAffinityTerm]:
    affinity = spec.affinity
    for side in (affinity.podAffinity, affinity.podAntiAffinity) if affinity is not None else ():
        if side is not None:
            yield from side.requiredDuringSchedulingIgnoredDuringExecution
            yield from (term.podAffinityTerm for term in side.preferredDuringSchedulingIgnoredDuringExecution)
