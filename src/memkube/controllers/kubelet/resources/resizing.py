"""Resizes of running pods: changes of the CPU and memory of containers (``pkg/kubelet/allocation``)."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, NamedTuple

import orjson

from memkube.apimachinery.field_errors import aggregate_message
from memkube.apimachinery.meta.v1.condition import find_condition
from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.status import qos_class
from memkube.apis.core.v1.pods.types import Pod, PodCondition
from memkube.apis.core.v1.podspec.aggregate_resources import pod_limits, pod_requests
from memkube.apis.core.v1.podspec.types.containers import Container, ResourceRequirements
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.kubelet.containers.container import SimulatedContainer
from memkube.registry.objects.interned_specs import interned_spec_of

PENDING: Final = "PodResizePending"
IN_PROGRESS: Final = "PodResizeInProgress"
_DEFERRED: Final = "Deferred"
_RESIZABLE: Final = ("cpu", "memory")
_NONE: Final = Quantity("0")


class Deferral(NamedTuple):
    """A resize that waits, because the node lacks resources or does not accept the pod for another reason."""

    message: str
    generation: int
    """Generation of the pod whose spec requires the resize."""


def resized_resources(
    container: SimulatedContainer,
    spec: Container,
    of_pod: ResourceRequirements | None,
    wanted_of_pod: ResourceRequirements | None,
) -> set[str]:
    """Return which of ``cpu`` and ``memory`` have another request or limit in the `spec` than the container has.

    A limit of the whole pod is the limit of each container without a limit of its own: `of_pod` are the pod-level
    resources that the pod has, and `wanted_of_pod` those in its spec.
    """
    has, wants = container.resources, spec.resources
    if has is wants and of_pod is wanted_of_pod:
        return set()
    return {name for name in _RESIZABLE if _amounts(has, of_pod, name) != _amounts(wants, wanted_of_pod, name)}


def _amounts(
    own: ResourceRequirements, of_pod: ResourceRequirements | None, name: str
) -> tuple[Quantity | None, Quantity | None]:
    limit = own.limits.get(name)
    if of_pod is not None and (limit is None or not limit.nano):
        limit = of_pod.limits.get(name, limit)
    return own.requests.get(name), limit


def requires_restart(spec: Container, resources: set[str]) -> bool:
    """Return True if a container must restart when these resources are resized (``resizePolicy``)."""
    return any(
        policy.resourceName in resources and policy.restartPolicy == "RestartContainer" for policy in spec.resizePolicy
    )


def reported(pod: Pod, spec: PodSpec, reason: str, generation: int, problem: str = "") -> Report:
    """Return an Event about a resize: it has started, is completed, or is deferred or fails because of a `problem`.

    `spec` has the resources that the pod gets, and `generation` is the generation of the pod that requires them.
    """
    names = {
        "ResizeStarted": "started",
        "ResizeCompleted": "completed",
        "ResizeDeferred": _DEFERRED,
        "ResizeError": "error",
    }
    summary = {
        "initContainers": [_summary(container) for container in spec.initContainers],
        "containers": [_summary(container) for container in spec.containers],
        "generation": generation,
        "error": problem,
    }
    text = orjson.dumps({name: value for name, value in summary.items() if value}).decode()
    return Report("Warning" if problem else "Normal", reason, f"Pod resize {names[reason]}: {text}")


def _summary(container: Container) -> Document:
    document = container.resources.to_document()
    resources = {
        name: dict(sorted(value.items())) if isinstance(value, dict) else value for name, value in document.items()
    }
    return {"name": container.name, "resources": resources}


def retry_order(pod: Pod, allocated: PodSpec) -> tuple[bool, int, bool, float]:
    """Return the key by which deferred resizes are sorted: the node retries the resize with the smallest key first.

    Resizes that increase no request come first, then those of pods with a high priority, then those of Guaranteed pods,
    and then those that wait for the longest time. `allocated` is the pod's spec with its allocated resources.
    """
    had, wanted = pod_requests(allocated), pod_requests(pod.spec)
    increases = any(wanted.get(name, _NONE).nano > had.get(name, _NONE).nano for name in _RESIZABLE)
    known = find_condition(pod.status.conditions, PENDING)
    since = known.lastTransitionTime if known is not None else None
    waits_since = math.inf if since is None else since.instant.timestamp()
    return increases, -(pod.spec.priority or 0), qos_class(pod.spec) != "Guaranteed", waits_since


def resize_conditions(
    pod: Pod, deferral: Deferral | None, in_progress: int | None, problem: str, now: Time
) -> Iterator[PodCondition]:
    """Yield the conditions of a pod about its resize.

    `deferral` is the resize that waits, and `in_progress` the generation whose resize restarts containers or fails
    because of a `problem`; None if there is no such resize.
    """
    if deferral is not None:
        yield _condition(pod, PENDING, deferral.generation, now, _DEFERRED, deferral.message)
    if in_progress is not None:
        yield _condition(pod, IN_PROGRESS, in_progress, now, "Error" if problem else "", problem)


def _condition(pod: Pod, kind: str, generation: int, now: Time, reason: str = "", message: str = "") -> PodCondition:
    condition = PodCondition(type=kind, status="True", reason=reason, message=message, observedGeneration=generation)
    known = find_condition(pod.status.conditions, kind)
    if known is None or known.reason != reason:
        condition.lastProbeTime = condition.lastTransitionTime = now
        return condition
    condition.lastTransitionTime, condition.lastProbeTime = known.lastTransitionTime, known.lastProbeTime
    return condition if condition == known else condition.model_copy(update={"lastProbeTime": now})


def reported_resources(pod: Pod) -> Mapping[str, ResourceRequirements]:
    """Return the resources that the status of a pod says its containers have, by the name of the container."""
    statuses = (*pod.status.initContainerStatuses, *pod.status.containerStatuses)
    return {status.name: status.resources for status in statuses if status.resources is not None}


def reported_pod_resources(pod: Pod) -> ResourceRequirements | None:
    """Return the pod-level resources that a pod has: those in its spec, or in its status if a resize is deferred."""
    wanted, had = pod.spec.resources, pod.status.resources
    if wanted is None or had is None or find_condition(pod.status.conditions, PENDING) is None:
        return wanted
    return ResourceRequirements(
        requests={name: quantity for name, quantity in had.requests.items() if name in wanted.requests},
        limits={name: quantity for name, quantity in had.limits.items() if name in wanted.limits},
    )


def with_resources(
    spec: PodSpec, of_containers: Mapping[str, ResourceRequirements], of_pod: ResourceRequirements | None
) -> PodSpec:
    """Return the spec of a pod with other resources: those of its containers, by name, and those of the whole pod."""

    def replaced(each: Container) -> Container:
        return each.model_copy(update={"resources": of_containers[each.name]})

    lists = {"initContainers": spec.initContainers, "containers": spec.containers}
    changed = {name: [replaced(each) for each in specs] for name, specs in lists.items()}
    return spec.model_copy(update={**changed, "resources": of_pod})


def shrink_problem(
    before: PodSpec, after: PodSpec, running: Collection[str], memory: Callable[[], Mapping[str, int]]
) -> str:
    """Return why the kubelet does not lower memory limits of a pod; empty if it does (``validateMemoryResizeAction``).

    The reason is that the pod uses at least as much memory as a new limit allows. `before` is the spec with the present
    resources, and `after` the spec with the new ones. `running` has the names of the containers that keep running, and
    `memory` returns the bytes that each running container uses, by name.
    """
    pairs = list(
        zip((*before.containers, *before.initContainers), (*after.containers, *after.initContainers), strict=True)
    )
    limits = {b.name: (_memory_limit(a, after), _memory_limit(b, before)) for b, a in pairs if b.name in running}
    lowered = {name: new for name, (new, old) in limits.items() if _is_lowered(new, old)}
    of_pod = _limit_of_pod(after)
    is_lowered = _is_lowered(of_pod, _limit_of_pod(before))
    if not lowered and not is_lowered:
        return ""
    used = memory()
    total = sum(used.values())
    problems = []
    if is_lowered and total >= of_pod:
        problems.append(f"attempting to set pod memory limit ({of_pod}) below current usage ({total})")
    # As in the kubelet, the message about a container has the usage of the pod.
    problems += [
        f"attempting to set container {quoted(name)} memory limit ({limit}) below current usage ({total})"
        for name, limit in lowered.items()
        if used.get(name, 0) >= limit
    ]
    if not problems:
        return ""
    return f"cannot decrease memory limits: {aggregate_message(problems)}"


def _is_lowered(new: int, old: int) -> bool:
    """True if a limit is lowered or added. 0 is no limit."""
    return new > 0 and (old == 0 or new < old)


def _memory_limit(container: Container, spec: PodSpec) -> int:
    """Return the limit of a container's memory in bytes; 0 if there is none."""
    return (_amounts(container.resources, spec.resources, "memory")[1] or _NONE).value


def _limit_of_pod(spec: PodSpec) -> int:
    """Return the limit of a pod's memory in bytes; 0 if neither the pod nor each of its containers has one."""
    if not all(_memory_limit(container, spec) for container in (*spec.containers, *spec.initContainers)):
        return 0
    return pod_limits(spec).get("memory", _NONE).value


def resources_in_effect(spec: PodSpec, *, is_running: bool) -> ResourceRequirements:
    """Return the total requests and limits of a pod, for ``resources`` and ``allocatedResources`` of its status.

    `spec` is the pod's spec with its actual or allocated resources. If `is_running` is True, the result has only CPU,
    memory, and the resources in ``spec.resources``. Pods with equal specs share the result: it must not be changed.
    """
    known = interned_spec_of(spec)
    if known is None:
        return _resources_in_effect(spec, is_running)
    return known.fact(("resources in effect", is_running), lambda: _resources_in_effect(spec, is_running))


def _resources_in_effect(spec: PodSpec, is_running: bool) -> ResourceRequirements:
    requests, limits = pod_requests(spec), pod_limits(spec)
    if not is_running:
        return ResourceRequirements(requests=requests, limits=limits)
    of_pod = spec.resources or ResourceRequirements()
    return ResourceRequirements(
        requests={name: amount for name, amount in requests.items() if name in (*_RESIZABLE, *of_pod.requests)},
        limits={name: amount for name, amount in limits.items() if name in (*_RESIZABLE, *of_pod.limits)},
    )
