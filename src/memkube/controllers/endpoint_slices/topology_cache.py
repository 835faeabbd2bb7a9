"""Topology aware hints: divides endpoints among zones in proportion to CPUs (``endpointslice/topologycache``)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.controllers.endpoint_slices.slices import Plan, Slice, is_ready, with_hints
from memkube.controllers.endpoints.selected_pods import Key
from memkube.controllers.framework.event_recorder import Report
from memkube.registry.objects.stored import StoredObject

ZONE: Final = "topology.kubernetes.io/zone"
"""Name of the node label that contains the node's zone."""
_EXCLUDED: Final = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
_OVERLOAD: Final = 0.2
"""Accepted overload of a zone's endpoints compared to the average of all zones, as a fraction."""
_FEWEST_ZONES: Final = 2
_LEAST_MOVED: Final = 0.5
_ENABLED: Final = "TopologyAwareHintsEnabled"
_DISABLED: Final = "TopologyAwareHintsDisabled"
_NO_ZONE: Final = "One or more endpoints do not have a zone specified"
_NO_HINTS: Final = "No hints allocated for zones"
_TOO_LITTLE_INFORMATION: Final = (
    "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes"
)
_ONE_ZONE: Final = "Nodes only ready in one zone"
_TOO_FEW: Final = "Insufficient number of endpoints"
_OVERLOADED: Final = "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold"


class _Allocation(NamedTuple):
    """Maximum and desired number of a Service's endpoints that serve the traffic from one zone."""

    maximum: int
    desired: float


class _NotPossible(Exception):
    """Raised if endpoints cannot be divided among zones. The message is that of the Event about the Service."""


@dataclass(frozen=True, slots=True)
class NodeZone:
    """The zone, the CPUs and the readiness of a node, from which the zones' shares of endpoints are computed."""

    zone: str
    milli_cpu: int
    is_counted: bool
    """True if the node is ready and does not belong to the control plane."""
    is_ready: bool

    @classmethod
    def of(cls, node: StoredObject) -> "NodeZone":
        """Read the zone, CPUs and readiness from a stored Node."""
        status, labels = node.document["status"], node.labels
        cpu = (status.get("allocatable") or {}).get("cpu")
        ready = (
            next((each["status"] for each in status.get("conditions") or [] if each["type"] == "Ready"), "") == "True"
        )
        counted = ready and not any(label in labels for label in _EXCLUDED)
        return cls(labels.get(ZONE, ""), Quantity.parse(cpu).milli_value, counted, ready)


class TopologyCache:
    """Each zone's share of the CPUs of all worker nodes, and for each Service the number of hints by zone.

    A topology hint tells kube-proxy from which zones traffic is sent to an endpoint.
    """

    def __init__(self) -> None:
        self._shares: dict[str, float] | None = {}
        """Each zone's share of the CPUs of all ready nodes outside of the control plane.

        None if one of these nodes has no zone or no CPUs, or if there are too few zones.
        """
        self._hints: dict[Key, dict[str, Counter[str]]] = {}
        """Number of endpoints by Service, address type and zone."""
        self._hinted: set[Key] = set()

    def set_nodes(self, nodes: Iterable[NodeZone]) -> None:
        """Compute each zone's share of the CPUs of those nodes that are ready and not of the control plane."""
        self._shares = None
        cpus: Counter[str] = Counter()
        for node in nodes:
            if node.is_counted:
                if not node.zone or not node.milli_cpu:
                    return
                cpus[node.zone] += node.milli_cpu
        if len(cpus) >= _FEWEST_ZONES:
            self._shares = {zone: cpu / cpus.total() for zone, cpu in cpus.items()}

    def overloaded(self) -> list[Key]:
        """Return the Services whose hints must be computed again after a change of the zones' shares of CPUs.

        These are Services whose hints give a zone too few endpoints for its present share. If the shares are not known
        any more, these are all Services with hints.
        """
        return [
            service
            for service, hints in self._hints.items()
            if any(self._is_overloaded(counts) for counts in hints.values())
        ]

    def has_hints(self, service: Key) -> bool:
        """True if topology hints were set on the endpoints of a Service."""
        return service in self._hinted

    def remove_hints(self, service: Key, address_type: str) -> None:
        """Remove the recorded numbers of hints for a Service's endpoints with this address type."""
        hints = self._hints.get(service, {})
        hints.pop(address_type, None)
        if not hints:
            self._hints.pop(service, None)
        self._hinted.discard(service)

    def add_hints(self, service: Key, address_type: str, plan: Plan, unchanged: list[Slice]) -> Report | None:
        """Set topology hints in the EndpointSlices of a Service that `plan` creates or updates.

        `unchanged` are its other slices with addresses of the type `address_type`; those whose hints must change are
        moved to the updates of `plan`. All hints are removed if the endpoints cannot be divided among zones. Returns
        the Event to record about the Service, or None.
        """
        ready = sum(is_ready(each) for one in (*plan.create, *plan.update, *unchanged) for each in one.endpoints)
        try:
            allocations = self._allocations(ready)
            counts = _keep_valid(plan, unchanged, allocations)
            _hint_own_zones(plan, counts)
            _redistribute(plan, allocations, counts)
            if not counts:
                raise _NotPossible(_NO_HINTS)
        except _NotPossible as problem:
            self.remove_hints(service, address_type)
            remove_hints_from(plan, unchanged)
            return Report("Warning", _DISABLED, f"{problem}, addressType: {address_type}")
        self._hints.setdefault(service, {})[address_type] = counts
        if service in self._hinted:
            return None
        self._hinted.add(service)
        return Report("Normal", _ENABLED, f"Topology Aware Hints has been enabled, addressType: {address_type}")

    def _allocations(self, endpoints: int) -> dict[str, _Allocation]:
        """Divide a number of endpoints among the zones. Raises _NotPossible if there are too few zones or endpoints."""
        if self._shares is None:
            raise _NotPossible(_TOO_LITTLE_INFORMATION)
        zones = len(self._shares)
        if zones < _FEWEST_ZONES:
            raise _NotPossible(_ONE_ZONE)
        numbers = f"({endpoints} endpoints, {zones} zones)"
        if zones > endpoints:
            raise _NotPossible(f"{_TOO_FEW} {numbers}")
        desired = {zone: share * endpoints for zone, share in self._shares.items()}
        minimums = {zone: ceil(number * (1 / (1 + _OVERLOAD))) for zone, number in desired.items()}
        left = endpoints - sum(minimums.values())
        if left < 0:
            raise _NotPossible(f"{_OVERLOADED} {numbers}")
        return {zone: _Allocation(least + left, max(desired[zone], least)) for zone, least in minimums.items()}

    def _is_overloaded(self, counts: Counter[str]) -> bool:
        if not counts:
            return False
        if not self._shares:
            return True
        total = counts.total()
        return any(
            zone not in counts or counts[zone] < ceil(total * share * (1 / (1 + _OVERLOAD)))
            for zone, share in self._shares.items()
        )


def no_more_hints(address_type: str) -> Report:
    """Return the Event about a Service whose topology hints are removed because it does not request them any more."""
    return Report("Warning", _DISABLED, f"Topology Aware Hints has been disabled, addressType: {address_type}")


def remove_hints_from(plan: Plan, unchanged: list[Slice]) -> None:
    """Remove the topology hints from the EndpointSlices in `plan`.

    The slices in `unchanged` that have hints are added to the plan's updates, and lose them too.
    """
    plan.update += [each for each in unchanged if any(endpoint.get("hints") is not None for endpoint in each.endpoints)]
    for each in (*plan.create, *plan.update):
        each.endpoints = [with_hints(endpoint, None) for endpoint in each.endpoints]


def _keep_valid(plan: Plan, unchanged: list[Slice], allocations: Mapping[str, _Allocation]) -> Counter[str]:
    """Count the valid hints in unchanged EndpointSlices by zone.

    Slices with invalid hints, or more hints for a zone than its maximum in `allocations`, are moved from `unchanged` to
    the plan's updates.
    """
    counts: Counter[str] = Counter()
    kept = []
    for each in unchanged:
        hints = _valid_hints(each, counts, allocations)
        if hints is None:
            plan.update.append(each)
        else:
            kept.append(each)
            counts += hints
    unchanged[:] = kept
    return counts


def _valid_hints(each: Slice, counts: Counter[str], allocations: Mapping[str, _Allocation]) -> Counter[str] | None:
    """Count the hints of the EndpointSlice `each` by zone. Returns None if its hints are invalid.

    They are invalid if a ready endpoint has no hint, if a zone is not in `allocations`, or if a zone would get more
    hints than its maximum in `allocations`. `counts` are the numbers of hints in other slices, which count towards the
    maximum.
    """
    hints: Counter[str] = Counter()
    for endpoint in filter(is_ready, each.endpoints):
        zones = [zone["name"] for zone in (endpoint.get("hints") or {}).get("forZones") or []]
        if not zones or not all(zone in allocations for zone in zones):
            return None
        hints.update(zones)
    fits = all(number + counts[zone] <= allocations[zone].maximum for zone, number in hints.items())
    return hints if fits else None


def _hint_own_zones(plan: Plan, counts: Counter[str]) -> None:
    """Set the hint of each ready endpoint to the endpoint's own zone, in EndpointSlices that `plan` creates or updates.

    The hints are added to `counts`, the numbers of hints by zone. Raises _NotPossible if the zone of an endpoint is
    unknown.
    """
    for each in (*plan.create, *plan.update):
        for index, endpoint in enumerate(each.endpoints):
            if not is_ready(endpoint):
                continue
            zone = endpoint.get("zone")
            if not zone:
                raise _NotPossible(_NO_ZONE)
            counts[zone] += 1
            each.endpoints[index] = _hinted(each, index, zone)


def _hinted(each: Slice, index: int, zone: str) -> Document:
    return with_hints(each.endpoints[index], {"forZones": [{"name": zone}]})


def _redistribute(plan: Plan, allocations: Mapping[str, _Allocation], counts: Counter[str]) -> None:
    """Change hints in the EndpointSlices that `plan` creates or updates, so that zones with too few endpoints get more.

    `allocations` are the desired numbers of endpoints by zone. `counts` are the present numbers by zone; they are
    updated when a hint is changed.
    """
    giving, receiving = _moves(allocations, counts)
    for each in (*plan.create, *plan.update):
        for index, endpoint in enumerate(each.endpoints):
            zone = endpoint.get("zone") or ""
            if not receiving.total() or not is_ready(endpoint) or giving[zone] <= 0:
                continue
            receiver = next(iter(+receiving))
            each.endpoints[index] = _hinted(each, index, receiver)
            for numbers in (giving, counts):
                numbers[zone] -= 1
            receiving[receiver] -= 1
            counts[receiver] += 1


def _moves(allocations: Mapping[str, _Allocation], counts: Counter[str]) -> tuple[Counter[str], Counter[str]]:
    """Return how many endpoints each zone gives to other zones, and how many each zone receives, to balance the zones.

    `counts` are the present numbers of endpoints by zone, and `allocations` the desired numbers.
    """
    too_many = {zone: counts[zone] - each.desired for zone, each in allocations.items() if counts[zone] > each.desired}
    too_few = {zone: each.desired - counts[zone] for zone, each in allocations.items() if counts[zone] < each.desired}
    giving: Counter[str] = Counter()
    receiving: Counter[str] = Counter()
    while too_many and too_few:
        giver, receiver = max(too_many, key=too_many.__getitem__), max(too_few, key=too_few.__getitem__)
        numbers = too_many[giver], too_few[receiver]
        if max(numbers) < 1 or min(numbers) < _LEAST_MOVED:
            break
        giving[giver] += 1
        receiving[receiver] += 1
        too_many[giver] -= 1
        too_few[receiver] -= 1
    return giving, receiving
