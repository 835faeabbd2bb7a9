"""Total resources of a pod's containers (``component-helpers/resource``).

Init containers run one after another before the main containers, so their resources are not added up. Sidecars (init
containers with restartPolicy Always) keep running, so their resources are needed together with those of all containers
that start later.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from memkube.apimachinery.quantity import Quantity

if TYPE_CHECKING:
    from memkube.apis.core.v1.podspec.types.containers import Container
    from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec

ResourceList: TypeAlias = dict[str, Quantity]


def aggregate_requests(spec: "PodSpec") -> ResourceList:
    """Return the total resource requests of a pod's containers.

    The total of a resource is the larger of the amounts that are needed during and after initialization.
    """
    return aggregate(spec, lambda container: container.resources.requests)


def aggregate_limits(spec: "PodSpec") -> ResourceList:
    """Return the total limits of a pod's containers.

    The total of a resource is the larger of the amounts that are needed during and after initialization.
    """
    return aggregate(spec, lambda container: container.resources.limits)


def pod_requests(spec: "PodSpec") -> ResourceList:
    """Return the resources that a pod requests from its node: pod-level or container requests, plus overhead."""
    total = aggregate_requests(spec)
    if spec.resources is not None:
        total |= {name: q for name, q in spec.resources.requests.items() if is_pod_level_resource(name)}
    _add(total, spec.overhead)
    return total


def pod_limits(spec: "PodSpec") -> ResourceList:
    """Return the limits of a pod: pod-level or container limits. Overhead is added to limits that are not zero."""
    total = aggregate_limits(spec)
    if spec.resources is not None:
        total |= {name: q for name, q in spec.resources.limits.items() if is_pod_level_resource(name)}
    _add(total, {name: q for name, q in spec.overhead.items() if name in total and total[name].nano})
    return total


def is_pod_level_resource(name: str) -> bool:
    """True if a pod may request the resource for all its containers together, in ``spec.resources``."""
    return name in ("cpu", "memory") or name.startswith("hugepages-")


def aggregate(spec: "PodSpec", of: Callable[["Container"], Mapping[str, Quantity]]) -> ResourceList:
    """Return the total resources of a pod. `of` gets a container and returns its amounts, such as its requests.

    The total of a resource is the larger of the amounts that are needed during and after initialization.
    """
    total: ResourceList = {}
    for container in spec.containers:
        _add(total, of(container))
    sidecars: ResourceList = {}
    starting: ResourceList = {}
    for container in spec.initContainers:
        if container.restartPolicy == "Always":
            _add(total, of(container))
            _add(sidecars, of(container))
            _raise(starting, sidecars)
        else:
            phase = dict(sidecars)
            _add(phase, of(container))
            _raise(starting, phase)
    _raise(total, starting)
    return total


def _add(total: ResourceList, more: Mapping[str, Quantity]) -> None:
    for name, quantity in more.items():
        total[name] = total[name].plus(quantity) if name in total else quantity


def _raise(total: ResourceList, other: Mapping[str, Quantity]) -> None:
    for name, quantity in other.items():
        if name not in total or quantity.nano > total[name].nano:
            total[name] = quantity
