"""Resizes of running pods: changes of the CPU and memory of containers (``pkg/kubelet/allocation``)."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import orjson

from memkube.apimachinery.meta.v1.condition import find_condition
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.types import Pod, PodCondition
from memkube.apis.core.v1.podspec.types.containers import Container, ResourceRequirements
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.kubelet.container import SimulatedContainer

PENDING: Final = "PodResizePending"
IN_PROGRESS: Final = "PodResizeInProgress"
_DEFERRED: Final = "Deferred"
_RESIZABLE: Final = ("cpu", "memory")


class Deferral(NamedTuple):
    """A resize that waits because the node lacks resources."""

    message: str
    generation: int
    """Generation of the pod whose spec requires the resize."""


def resized_resources(container: SimulatedContainer, spec: Container) -> set[str]:
    """Return which of ``cpu`` and ``memory`` have another request or limit in the `spec` than the container has."""
    has, wants = container.resources, spec.resources
    if has is wants:
        return set()
    return {
        name
        for name in _RESIZABLE
        if (has.requests.get(name), has.limits.get(name)) != (wants.requests.get(name), wants.limits.get(name))
    }


def requires_restart(spec: Container, resources: set[str]) -> bool:
    """Return True if a container must restart when these resources are resized (``resizePolicy``)."""
    return any(
        policy.resourceName in resources and policy.restartPolicy == "RestartContainer" for policy in spec.resizePolicy
    )


def reported(pod: Pod, reason: str, problem: str = "") -> Report:
    """Return an Event about a resize: it has started, is completed, or is deferred because of a `problem`."""
    names = {"ResizeStarted": "started", "ResizeCompleted": "completed", "ResizeDeferred": _DEFERRED}
    summary = {
        "initContainers": [_summary(container) for container in pod.spec.initContainers],
        "containers": [_summary(container) for container in pod.spec.containers],
        "generation": pod.metadata.generation,
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


def resize_conditions(
    pod: Pod, deferral: Deferral | None, in_progress: int | None, now: Time
) -> Iterator[PodCondition]:
    """Yield the conditions of a pod about its resize.

    `deferral` is the resize that waits, and `in_progress` the generation whose resize restarts containers; None if
    there is no such resize.
    """
    if deferral is not None:
        yield _condition(pod, PENDING, deferral.generation, now, _DEFERRED, deferral.message)
    if in_progress is not None:
        yield _condition(pod, IN_PROGRESS, in_progress, now)


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
