"""Amounts of resources, and the resource requests of pods (``component-helpers/resource``, ``framework/types.go``)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.podspec.aggregate_resources import is_pod_level_resource

_NANO_PER_UNIT: Final = 10**9
_NANO_PER_MILLI: Final = 10**6
Amounts: TypeAlias = dict[str, int]
"""Amounts of resources in billionths, by name."""
_UNSTATED: Final[Mapping[str, int]] = {"cpu": 10**8, "memory": 200 * 1024 * 1024 * 10**9}
"""Requests in billionths that scores assume for containers without requests (``util/pod_resources.go``)."""
_NOTHING: Final[Mapping[str, Any]] = {}


class Resources:
    """Amounts of resources in the scheduler's units: milli-CPU, bytes, and whole units of other resources."""

    __slots__ = ("cpu", "ephemeral_storage", "memory", "scalars")

    def __init__(
        self, cpu: int = 0, memory: int = 0, ephemeral_storage: int = 0, scalars: Mapping[str, int] | None = None
    ) -> None:
        self.cpu = cpu
        self.memory = memory
        self.ephemeral_storage = ephemeral_storage
        self.scalars = dict(scalars) if scalars else {}

    @classmethod
    def of_nano(cls, amounts: Mapping[str, int]) -> "Resources":
        """Convert amounts in billionths, by name, to the scheduler's units. They are rounded up."""
        resources = cls()
        for name, nano in amounts.items():
            if name == "cpu":
                resources.cpu = -(-nano // _NANO_PER_MILLI)
            elif name == "memory":
                resources.memory = -(-nano // _NANO_PER_UNIT)
            elif name == "ephemeral-storage":
                resources.ephemeral_storage = -(-nano // _NANO_PER_UNIT)
            elif is_scalar(name):
                resources.scalars[name] = -(-nano // _NANO_PER_UNIT)
        return resources

    def copy(self) -> "Resources":
        """Return an independent copy of the amounts."""
        return Resources(self.cpu, self.memory, self.ephemeral_storage, self.scalars)

    def add(self, other: "Resources") -> None:
        """Add the amounts in `other` to this object."""
        self.cpu += other.cpu
        self.memory += other.memory
        self.ephemeral_storage += other.ephemeral_storage
        for name, amount in other.scalars.items():
            self.scalars[name] = self.scalars.get(name, 0) + amount

    def subtract(self, other: "Resources") -> None:
        """Subtract the amounts in `other` from this object."""
        self.cpu -= other.cpu
        self.memory -= other.memory
        self.ephemeral_storage -= other.ephemeral_storage
        for name, amount in other.scalars.items():
            self.scalars[name] = self.scalars.get(name, 0) - amount

    def is_less_than(self, other: "Resources") -> bool:
        """True if the amount of at least one resource is smaller than in `other`."""
        return (
            self.cpu < other.cpu
            or self.memory < other.memory
            or self.ephemeral_storage < other.ephemeral_storage
            or any(self.scalars.get(name, 0) < amount for name, amount in other.scalars.items())
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Resources) and self._amounts() == other._amounts()

    __hash__ = None  # type: ignore[assignment]  # amounts are mutable

    def _amounts(self) -> tuple[int, int, int, dict[str, int]]:
        return self.cpu, self.memory, self.ephemeral_storage, self.scalars


class Shortage(NamedTuple):
    """A resource of which a node has too little left for a pod. The amounts are in the scheduler's units."""

    name: str
    requested: int
    used: int
    """Amount that the other pods of the node request."""
    capacity: int


def shortages(wanted: Resources, used: Resources, offered: Resources) -> Iterator[Shortage]:
    """Yield the resources of which less than `wanted` is left, if `used` of what a node has (`offered`) is taken."""
    amounts = [
        Shortage("cpu", wanted.cpu, used.cpu, offered.cpu),
        Shortage("memory", wanted.memory, used.memory, offered.memory),
        Shortage("ephemeral-storage", wanted.ephemeral_storage, used.ephemeral_storage, offered.ephemeral_storage),
    ]
    for name, amount in wanted.scalars.items():
        amounts.append(Shortage(name, amount, used.scalars.get(name, 0), offered.scalars.get(name, 0)))
    return (one for one in amounts if one.requested and one.requested > one.capacity - one.used)


def is_scalar(name: str) -> bool:
    """True if a resource is counted in whole units: extended resource, huge pages or attachable volumes."""
    return "/" in name or name.startswith(("hugepages-", "attachable-volumes-"))


def nano_amounts(quantities: Mapping[str, Any] | None) -> dict[str, int]:
    """Parse the quantities of resources. Returns amounts in billionths, by name."""
    return {name: Quantity(text).nano for name, text in quantities.items()} if quantities else {}


class PodRequests(NamedTuple):
    """Resource requests of a pod: `resources` for filter plugins, `compared_cpu` and `compared_memory` for scores.

    In `compared_cpu` and `compared_memory`, a container without a request for CPU or memory counts with a default
    amount.
    """

    resources: Resources
    compared_cpu: int
    compared_memory: int


def requests_of(pod: Document) -> PodRequests:
    """Return the total resource requests of a pod."""
    amounts = _requests(pod, _NOTHING)
    resources = Resources.of_nano(amounts)
    unstated = _UNSTATED
    if _pod_level(pod["spec"]):
        unstated = {name: nano for name, nano in _UNSTATED.items() if name not in amounts}
    if not unstated or _all_stated(pod["spec"]):
        return PodRequests(resources, resources.cpu, resources.memory)
    compared = Resources.of_nano(_requests(pod, unstated))
    return PodRequests(resources, compared.cpu, compared.memory)


def scored_requests(pod: Document) -> tuple[int, int]:
    """Return the CPU and memory requests of a pod with which the plugin NodeResourcesFit computes scores of nodes.

    As in kube-scheduler, these are the requests of the pod's containers, even if the pod has pod-level requests.
    """
    spec = pod["spec"]
    amounts = _of_containers(spec, {}, _UNSTATED)
    _add(amounts, nano_amounts(spec.get("overhead")))
    resources = Resources.of_nano(amounts)
    return resources.cpu, resources.memory


def resize_of(pod: Document) -> list[Any]:
    """Return the parts of a pod's status on which its requests depend during a resize.

    The result is empty if the pod uses the requests in its spec.
    """
    spec, status = pod["spec"], pod["status"]
    containers = (*spec["containers"], *(spec.get("initContainers") or ()))
    wanted = {container["name"]: _requests_in(container) for container in containers}
    resized: list[Any] = []
    for name, actual in _resized_containers(status).items():
        in_use, allocated = _requests_in(actual), actual.get("allocatedResources") or _NOTHING
        if in_use != wanted.get(name) or (allocated and allocated != in_use):
            resized.append((name, in_use, allocated))
    if spec.get("resources"):
        resized += [status.get("resources"), status.get("allocatedResources")]
    return [*resized, _is_infeasible(status)] if resized else []


def _requests_in(container: Document) -> Mapping[str, Any]:
    requests: Mapping[str, Any] = (container.get("resources") or _NOTHING).get("requests") or {}
    return requests


def _requests(pod: Document, unstated: Mapping[str, int]) -> Amounts:
    spec, status = pod["spec"], pod["status"]
    total = _of_containers(spec, status, unstated)
    if pod_level := _pod_level(spec):
        total.update(_resized(pod_level, status, status, "allocatedResources"))
    _add(total, nano_amounts(spec.get("overhead")))
    return total


def _of_containers(spec: Document, status: Document, unstated: Mapping[str, int]) -> Amounts:
    statuses = _resized_containers(status)
    total: Amounts = {}
    for container in spec["containers"]:
        _add(total, _of_container(container, status, statuses, unstated))
    init_containers = spec.get("initContainers")
    if not init_containers:
        return total
    sidecars: Amounts = {}
    starting: Amounts = {}
    for container in init_containers:
        if container.get("restartPolicy") == "Always":
            amounts = _of_container(container, status, statuses, unstated)
            _add(total, amounts)
            _add(sidecars, amounts)
            _raise(starting, sidecars)
        else:
            phase = dict(sidecars)
            _add(phase, _of_container(container, status, {}, unstated))
            _raise(starting, phase)
    _raise(total, starting)
    return total


def _of_container(
    container: Document, status: Document, statuses: Mapping[str, Document], unstated: Mapping[str, int]
) -> Amounts:
    amounts = nano_amounts(_requests_in(container))
    if container["name"] in statuses:
        amounts = _resized(amounts, status, statuses[container["name"]], "allocatedResources")
    for name, nano in unstated.items():
        amounts.setdefault(name, nano)
    return amounts


def _resized(wanted: Amounts, status: Document, actual: Document, allocated: str) -> Amounts:
    """Return the requests of a pod or container that count during a resize.

    `actual` is the status of the pod or container. For each resource, the largest of three requests counts: the
    `wanted` one in the spec, the actual one in ``resources`` of `actual`, and the allocated one in the field of
    `actual` that `allocated` names.

    There are two exceptions. If `status`, the pod's status, says that the resize is infeasible, the wanted requests do
    not count. If `actual` has no ``resources``, only the wanted requests count.
    """
    in_use = actual.get("resources")
    if in_use is None:
        return wanted
    amounts: Amounts = {} if _is_infeasible(status) else dict(wanted)
    _raise(amounts, nano_amounts(in_use.get("requests")))
    _raise(amounts, nano_amounts(actual.get(allocated)))
    return amounts


def _resized_containers(status: Document) -> dict[str, Document]:
    statuses = [*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())]
    return {container["name"]: container for container in statuses if container.get("resources") is not None}


def _is_infeasible(status: Document) -> bool:
    conditions = status.get("conditions") or ()
    pending = next((c for c in conditions if c["type"] == "PodResizePending"), None)
    return pending is not None and pending.get("reason") == "Infeasible"


def _pod_level(spec: Document) -> Amounts:
    """Return the pod-level requests in ``spec.resources``, for resources that are supported there."""
    requests: Mapping[str, Any] = (spec.get("resources") or _NOTHING).get("requests") or _NOTHING
    return nano_amounts({name: q for name, q in requests.items() if is_pod_level_resource(name)})


def _all_stated(spec: Document) -> bool:
    for container in (*spec["containers"], *(spec.get("initContainers") or ())):
        requests = (container.get("resources") or _NOTHING).get("requests") or _NOTHING
        if "cpu" not in requests or "memory" not in requests:
            return False
    return True


def _add(total: Amounts, more: Mapping[str, int]) -> None:
    for name, nano in more.items():
        total[name] = total.get(name, 0) + nano


def _raise(total: Amounts, other: Mapping[str, int]) -> None:
    for name, nano in other.items():
        if nano > total.get(name, -1):
            total[name] = nano
