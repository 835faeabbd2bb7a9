"""Functions on the status of a pod: conditions and readiness, and the QoS class."""

from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.meta.v1.condition import find_condition, with_condition
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.types import PodCondition, PodStatus
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec

_COMPUTE_RESOURCES: Final = ("cpu", "memory")


def set_condition(status: PodStatus, condition: PodCondition, now: Time) -> None:
    """Add a condition to a pod's status, or replace the condition of the same type.

    `lastTransitionTime` changes only if the condition's ``status`` changes.
    """
    status.conditions = with_condition(status.conditions, condition, now)


def is_ready(status: PodStatus) -> bool:
    """True if the condition Ready of a pod has the status True."""
    ready = find_condition(status.conditions, "Ready")
    return ready is not None and ready.status == "True"


def qos_class(spec: PodSpec) -> str:
    """Return the QoS class of a pod.

    The class is `Guaranteed` if all containers have limits for cpu and memory and equal requests. It is `BestEffort` if
    no container has requests or limits of cpu or memory. Otherwise it is `Burstable`.
    """
    if spec.resources is not None:
        requirements = [spec.resources]
        guaranteed = not spec.resources.limits or _add(spec.resources.limits, {}) == len(_COMPUTE_RESOURCES)
    else:
        requirements = [container.resources for container in (*spec.containers, *spec.initContainers)]
        guaranteed = True
    requests: dict[str, int] = {}
    limits: dict[str, int] = {}
    for item in requirements:
        _add(item.requests, requests)
        if _add(item.limits, limits) != len(_COMPUTE_RESOURCES) and spec.resources is None:
            guaranteed = False
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if guaranteed and requests == limits else "Burstable"


def _add(resources: Mapping[str, Quantity], totals: dict[str, int]) -> int:
    """Add the amounts of cpu and memory in a resource list to the totals.

    Returns the number of these two resources that have a positive amount.
    """
    found = 0
    if resources:
        for name in _COMPUTE_RESOURCES:
            if name in resources and (nano := resources[name].nano) > 0:
                totals[name] = totals.get(name, 0) + nano
                found += 1
    return found
