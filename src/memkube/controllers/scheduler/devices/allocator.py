"""Search for the devices that a pod's ResourceClaims need (``structured/internal/incubating``).

The search is exhaustive, and takes the first solution. For each request in turn, it tries the devices in the order of
pools, ResourceSlices and devices.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.controllers.scheduler.devices.allocated import AllocatedDevices, DeviceId
from memkube.controllers.scheduler.devices.capacity import consumed_capacity, fits_capacity
from memkube.controllers.scheduler.devices.constraints import Constraint, constraints_of
from memkube.controllers.scheduler.devices.counters import SharedCounters
from memkube.controllers.scheduler.devices.pools import OfferedDevice, Pool, SliceIndex, matches_node
from memkube.controllers.scheduler.devices.requests import DeviceRequest, requests_of_claim, selectors_of
from memkube.controllers.scheduler.devices.results import Chosen, Solution, allocation_results
from memkube.controllers.scheduler.devices.selecting import DeviceSelectors, SelectorError
from memkube.controllers.scheduler.node_info import NodeInfo

_MOST_RESULTS: Final = 32
"""Maximum number of devices that one ResourceClaim can get."""
_MOST_STEPS: Final = 100_000
"""Maximum number of devices that one search tries. kube-scheduler limits the search to 10 seconds instead."""
_DEEPEST: Final = 400
"""Maximum sum of devices, requests and claims in one search, which recurses once for each of them."""


class AllocationError(Exception):
    """Raised if a ResourceClaim or DeviceClass is unusable, so that the pod cannot be scheduled.

    It is also raised if a search takes too many steps. The text is the reason.
    """


class UnusablePools(Exception):
    """Raised if a node lacks devices for the ResourceClaims, and one of its device pools is invalid."""


class _TooManyDevices(Exception):
    """Raised during a search if a ResourceClaim would get more devices than its status can contain."""


class ClaimToAllocate(NamedTuple):
    """A ResourceClaim for which devices must be found."""

    namespace: str
    name: str
    spec: Document

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class DeviceServices(NamedTuple):
    """Devices, DeviceClasses and allocations of the cluster, which all searches for devices share."""

    slices: SliceIndex
    allocated: AllocatedDevices
    selectors: DeviceSelectors
    classes: Informer
    new_uid: Callable[[], str]


class _Position(NamedTuple):
    """The device to find next, as indexes of the claim, the request, the alternative and the device."""

    claim: int = 0
    request: int = 0
    alternative: int = -1
    """Index of the request's alternative; -1 if none is chosen yet."""
    device: int = 0


class _Wanted(NamedTuple):
    """An alternative of a device request, with its DeviceClass and the number of devices that are needed."""

    request: DeviceRequest
    device_class: Document
    number: int
    all_devices: Sequence[OfferedDevice]
    """Devices that must be allocated, if the request is for all matching devices."""


class Allocator:
    """Finds devices for the ResourceClaims of one pod, for one node after another."""

    def __init__(self, services: DeviceServices) -> None:
        self._services = services
        self._counters = SharedCounters(services.allocated)
        self._matches: dict[tuple[DeviceId, str], bool] = {}
        """Cached results of selectors, by device and expression."""

    def allocate(self, node: NodeInfo, claims: Sequence[ClaimToAllocate]) -> list[Document] | None:
        """Find devices for ResourceClaims on a node.

        Returns an allocation for each claim, or None if the node lacks devices. Raises AllocationError if a claim or
        DeviceClass is unusable, or if the search takes too many steps. Raises UnusablePools if the node lacks devices
        and one of its device pools is invalid.
        """
        pools = self._services.slices.pools(node)
        search = _Search(self, self._services, node, claims, pools)
        solution = search.run()
        if solution is not None:
            return allocation_results(solution, node.name)
        if any(pool.is_invalid for pool in pools):
            raise UnusablePools
        return None

    @property
    def counters(self) -> SharedCounters:
        """Available amounts of the counters that the devices of each pool share."""
        return self._counters

    def matches(self, where: str, expressions: Sequence[str], offered: OfferedDevice) -> bool:
        """True if all CEL `expressions` select the device `offered`.

        Raises AllocationError if an expression cannot be evaluated. The message begins with `where`, which says where
        the expressions are specified.
        """
        for index, expression in enumerate(expressions):
            key = offered.id, expression
            found = self._matches.get(key)
            if found is None:
                try:
                    found = self._services.selectors.matches(expression, offered.id.driver, offered.device)
                except SelectorError as error:
                    raise AllocationError(f"{where}: selector #{index}: {error}") from None
                self._matches[key] = found
            if not found:
                return False
        return True


class _Search:
    """A search on one node for the devices that all ResourceClaims of a pod need."""

    def __init__(
        self,
        allocator: Allocator,
        services: DeviceServices,
        node: NodeInfo,
        claims: Sequence[ClaimToAllocate],
        pools: Sequence[Pool],
    ) -> None:
        self._allocator = allocator
        self._allocated = services.allocated
        self._classes = services.classes
        self._new_uid = services.new_uid
        self._node = node
        self._claims = claims
        self._pools = pools
        self._usable = [
            offered for pool in pools if not (pool.is_incomplete or pool.is_invalid) for offered in pool.devices
        ]
        self._constraints: list[Sequence[Constraint]] = [constraints_of(claim.spec) for claim in claims]
        self._chosen: list[list[Chosen]] = [[] for _ in claims]
        self._selected: dict[tuple[int, int], int] = {}
        """The chosen alternative of each request, by the indexes of claim and request."""
        self._taken: dict[DeviceId, list[int]] = {}
        """Indexes of the claims for which each device was chosen as a whole, without sharing it."""
        self._consuming: dict[DeviceId, list[Mapping[str, int]]] = {}
        """The capacities that the chosen shares of each device consume, in billionths."""
        self._consumption = allocator.counters.consumption()
        self._steps = 0
        self._depth = 0
        self._wanted = [self._read(index) for index in range(len(claims))]

    def run(self) -> Solution | None:
        """Return devices for all ResourceClaims, or None if there is no solution.

        Raises AllocationError if a claim or DeviceClass is unusable, or if the search takes too many steps.
        """
        try:
            is_found = self._next(_Position(), 0)
        except _TooManyDevices:
            return None
        if not is_found:
            return None
        alternatives = [
            [wanted[self._selected.get((claim, index), 0)] for index, wanted in enumerate(requests)]
            for claim, requests in enumerate(self._wanted)
        ]
        classes = [[(one.request, one.device_class) for one in requests] for requests in alternatives]
        return Solution([claim.spec for claim in self._claims], classes, self._chosen)

    def _read(self, index: int) -> list[list[_Wanted]]:
        """Return the alternatives of each device request of the ResourceClaim with this index in the search.

        Raises AllocationError if the claim requests more devices than its status can contain.
        """
        claim = self._claims[index]
        wanted = [[self._read_request(claim, one) for one in requests] for requests in requests_of_claim(claim.spec)]
        least = sum(min(one.number for one in alternatives) for alternatives in wanted)
        if least > _MOST_RESULTS:
            why = f"number of requested devices {least} exceeds the claim limit of {_MOST_RESULTS}"
            raise AllocationError(f"claim {claim}: {why}")
        return wanted

    def _read_request(self, claim: ClaimToAllocate, request: DeviceRequest) -> _Wanted:
        name = request.class_name
        stored = self._classes.get("", name)
        if stored is None:
            missing = f'deviceclass.resource.k8s.io "{name}" not found'
            raise AllocationError(
                f"claim {claim}, request {request.name}: could not retrieve device class {name}: {missing}"
            )
        if not request.wants_all:
            return _Wanted(request, stored.document, request.number, ())
        found = list(self._all_devices(claim, request, stored.document))
        return _Wanted(request, stored.document, len(found), found)

    def _all_devices(
        self, claim: ClaimToAllocate, request: DeviceRequest, device_class: Document
    ) -> Iterator[OfferedDevice]:
        """Yield all devices on the node that match a request.

        Raises AllocationError if a device pool is incomplete or invalid.
        """
        for pool in self._pools:
            if pool.is_incomplete or pool.is_invalid:
                why = "being updated" if pool.is_incomplete else "invalid"
                text = f"asks for all devices, but resource pool {pool.id} is currently {why}"
                raise AllocationError(f"claim {claim}, request {request.name}: {text}")
            for offered in pool.devices:
                if self._is_selected(claim, request, device_class, offered) and self._fits(request, offered):
                    yield offered

    def _next(self, at: _Position, start: int) -> bool:
        """Choose the device for the position `at` of the search, and then the devices for all later positions.

        `start` is the index of the first usable device to try. Returns True if the search has found devices for all
        requests, and False if there is no solution with the devices that were chosen before this position. Raises
        _TooManyDevices if a claim would get too many devices.
        """
        self._depth += 1
        if self._depth > _DEEPEST:
            raise AllocationError(self._timed_out())
        try:
            if at.claim >= len(self._claims):
                return True
            requests = self._wanted[at.claim]
            if at.request >= len(requests):
                return self._next_claim(at.claim + 1)
            alternatives = requests[at.request]
            if at.alternative < 0:
                return self._first_alternative(at, alternatives)
            return self._next_device(at, alternatives[at.alternative], start)
        finally:
            self._depth -= 1

    def _next_claim(self, claim: int) -> bool:
        try:
            return self._next(_Position(claim), 0)
        except _TooManyDevices:
            # Continue the search: earlier claims may have other alternatives, with which there is a solution.
            return False

    def _first_alternative(self, at: _Position, alternatives: Sequence[_Wanted]) -> bool:
        """Choose the first of a request's `alternatives` with which the search finds a solution.

        The request is at the position `at` of the search. Returns False if no alternative leads to a solution. Raises
        _TooManyDevices if all alternatives need too many devices.
        """
        if not alternatives[0].request.parent:
            return self._next(at._replace(alternative=0), 0)
        all_exceed = True
        for index in range(len(alternatives)):
            try:
                is_found = self._next(at._replace(alternative=index), 0)
            except _TooManyDevices:
                continue
            all_exceed = False
            if is_found:
                self._selected[at.claim, at.request] = index
                return True
        if all_exceed:
            raise _TooManyDevices
        return False

    def _next_device(self, at: _Position, wanted: _Wanted, start: int) -> bool:
        if wanted.request.wants_all and not wanted.all_devices:
            return False
        if at.device >= wanted.number:
            return self._next(_Position(at.claim, at.request + 1), 0)
        if len(self._chosen[at.claim]) + wanted.number - at.device > _MOST_RESULTS:
            raise _TooManyDevices
        if wanted.request.wants_all:
            # The request is for all matching devices, so only the device at this index of their list is tried here.
            return self._try(at, wanted, wanted.all_devices[at.device], 0)
        claim, request = self._claims[at.claim], wanted.request
        for index in range(start, len(self._usable)):
            self._count_step()
            offered = self._usable[index]
            if self._is_in_use(at.claim, request, offered.id):
                continue
            if not self._is_selected(claim, request, wanted.device_class, offered) or not self._fits(request, offered):
                continue
            if self._try(at, wanted, offered, index + 1):
                return True
        return False

    def _try(self, at: _Position, wanted: _Wanted, offered: OfferedDevice, start: int) -> bool:
        """Choose the device `offered` for the request `wanted`, and continue the search after the position `at`.

        `start` is the index of the first device to try at the next position. Returns True if the search finds devices
        for all requests. Otherwise the choice is undone, and the result is False.
        """
        undo = self._choose(at, wanted, offered)
        if undo is None:
            return False
        is_found = False
        try:
            is_found = self._next(at._replace(device=at.device + 1), start)
        finally:
            if not is_found:
                undo()
        return is_found

    def _choose(self, at: _Position, wanted: _Wanted, offered: OfferedDevice) -> Callable[[], None] | None:
        """Choose the device `offered` for the request `wanted`, which is at the position `at` of the search.

        Returns a function that undoes the choice, or None if the device cannot be chosen.
        """
        request, device, device_id = wanted.request, offered.device, offered.id
        is_shareable = bool(device.get("allowMultipleAllocations"))
        if self._is_in_use(at.claim, request, device_id):
            return None
        is_shared = is_shareable and (self._allocated.consumed(device_id) is not None or device_id in self._consuming)
        counts = not is_shared and bool(device.get("consumesCounters"))
        # As in kube-scheduler, the counters stay consumed even if a taint or constraint below prevents the choice.
        if counts and not self._consumption.add(offered):
            return None
        if not request.tolerates(device):
            return None
        alternative = request.name if request.parent else ""
        if not self._constrain(at.claim, wanted, offered):
            return None
        if not is_shareable:
            self._taken.setdefault(device_id, []).append(at.claim)
        share = ""
        consumed: Mapping[str, str] = {}
        if not self._fits(request, offered):
            return None
        if is_shareable:
            share = self._new_uid()
            amounts = consumed_capacity(device.get("capacity") or {}, request.capacity)
            consumed = amounts
            self._consuming.setdefault(device_id, []).append({name: one.nano for name, one in amounts.items()})
        self._chosen[at.claim].append(Chosen(request, offered, share, consumed))
        return partial(self._undo, at.claim, request.base_name, alternative, offered)

    def _constrain(self, claim: int, wanted: _Wanted, offered: OfferedDevice) -> bool:
        """Record the device `offered` in all constraints of the ResourceClaim with the index `claim`.

        Returns False if a constraint forbids the device; it is then recorded in none of them. But if the request
        `wanted` is for all matching devices, AllocationError is raised in this case, because the request cannot do
        without the device.
        """
        request = wanted.request
        alternative = request.name if request.parent else ""
        for index, constraint in enumerate(self._constraints[claim]):
            if constraint.add(request.base_name, alternative, offered.id, offered.device):
                continue
            if request.wants_all:
                why = f"cannot add device {offered.id} because a claim constraint would not be satisfied"
                raise AllocationError(f"claim {self._claims[claim]}, request {request.name}: {why}")
            for earlier in self._constraints[claim][:index]:
                earlier.remove(request.base_name, alternative)
            return False
        return True

    def _undo(self, claim: int, request: str, alternative: str, offered: OfferedDevice) -> None:
        for constraint in self._constraints[claim]:
            constraint.remove(request, alternative)
        self._chosen[claim].pop()
        if offered.device.get("allowMultipleAllocations"):
            shares = self._consuming[offered.id]
            shares.pop()
            if not shares:
                del self._consuming[offered.id]
            return
        self._taken[offered.id].remove(claim)
        if offered.device.get("consumesCounters"):
            self._consumption.remove(offered)

    def _is_in_use(self, claim: int, request: DeviceRequest, device: DeviceId) -> bool:
        """True if a device is already used, so that a request cannot get it.

        For a request with admin access, only use by the same claim counts.
        """
        taken = self._taken.get(device)
        if request.has_admin_access:
            return bool(taken) and claim in (taken or ())
        return bool(taken) or self._allocated.is_dedicated(device)

    def _is_selected(
        self, claim: ClaimToAllocate, request: DeviceRequest, device_class: Document, offered: OfferedDevice
    ) -> bool:
        """True if the device `offered` is available on the node, and selected by the DeviceClass and the request."""
        allocator, name = self._allocator, device_class["metadata"]["name"]
        if not allocator.matches(f"class {name}", selectors_of(device_class["spec"]), offered):
            return False
        if not allocator.matches(f"claim {claim}", request.selectors, offered):
            return False
        return not offered.slice.get("perDeviceNodeSelection") or matches_node(self._node, offered.device)

    def _fits(self, request: DeviceRequest, offered: OfferedDevice) -> bool:
        """True if the device `offered` still has enough capacity for the amounts that the request consumes."""
        capacities, requested = offered.device.get("capacity"), request.capacity
        if not capacities and not requested:
            return True
        consumed = [*self._consuming.get(offered.id, ())]
        allocated = self._allocated.consumed(offered.id)
        if allocated is not None:
            consumed.append(allocated)
        return fits_capacity(capacities or {}, requested, consumed)

    def _count_step(self) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise AllocationError(self._timed_out())

    def _timed_out(self) -> str:
        return f"node {self._node.name}: timed out trying to allocate devices"
