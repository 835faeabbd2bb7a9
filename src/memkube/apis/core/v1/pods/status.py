"""What a pod's status is read and written by: its conditions and its quality of service."""

from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.meta.v1.condition import find_condition, with_condition
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.types import PodCondition, PodStatus
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec

_COMPUTE_RESOURCES: Final = ("cpu", "memory")


def set_condition(status: PodStatus, condition: PodCondition, now: Time) -> None:
    """Adds or replaces the condition of its type; its transition time stays as long as its ``status`` does."""
    status.conditions = with_condition(status.conditions, condition, now)


def is_ready(status: PodStatus) -> bool:
    """Whether the Ready condition is true."""
    ready = find_condition(status.conditions, "Ready")
    return ready is not None and ready.status == "True"


def qos_class(spec: PodSpec) -> str:
    """`Guaranteed` where limits of cpu and memory equal requests, `BestEffort` where there are none of either."""
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
    """Adds what there is of compute resources to the totals; returns how many of them there are."""
    found = 0
    if resources:
        for name in _COMPUTE_RESOURCES:
            if name in resources and (nano := resources[name].nano) > 0:
                totals[name] = totals.get(name, 0) + nano
                found += 1
    return found
