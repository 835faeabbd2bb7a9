"""The filter plugin DynamicResources, for pods that use devices."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.validation.resources import is_extended_resource
from memkube.controllers.resource_claims.pod_claims import allocation_of
from memkube.controllers.scheduler.devices.allocator import AllocationError, Allocator, ClaimToAllocate, UnusablePools
from memkube.controllers.scheduler.devices.binding_conditions import BindingFailed, is_ready, is_too_late
from memkube.controllers.scheduler.devices.classes import DEVICE_CLASS
from memkube.controllers.scheduler.devices.extended_resources import ANNOTATION, extended_requests
from memkube.controllers.scheduler.devices.pools import selects_node
from memkube.controllers.scheduler.devices.requests import requests_of_claim
from memkube.controllers.scheduler.framework import (
    ClusterListers,
    PluginError,
    Rejection,
    SchedulingContext,
)
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.plugins.dynamic_resources import NAME, DeviceState
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.workloads.owners import controller_reference
from memkube.registry.objects.stored import StoredObject

_UNAVAILABLE: Final = Rejection(NAME, ("resourceclaim not available on the node",), resolvable=False)
_NO_DEVICES: Final = Rejection(NAME, ("cannot allocate all claims",), resolvable=False)
_INVALID_POOLS: Final = Rejection(NAME, ("invalid resource pools were encountered",), resolvable=False)
_STALE: Final = Rejection(NAME, ("cannot schedule extended resource claim",), resolvable=False)
_NO_RESOURCE: Final = Rejection(NAME, ("cannot fit resource",), resolvable=False)
_MOST_ALTERNATIVES: Final = 8


class ExtendedClaim(NamedTuple):
    """The ResourceClaim to be created for the extended resources of a pod."""

    requests: Sequence[Document]
    mappings: Sequence[Document]
    """Mappings for the pod's status: which container uses which device request of the claim."""
    allocation: Document


class PodDevices(NamedTuple):
    """ResourceClaims of a pod, with the devices for them on the node that was chosen for the pod."""

    claims: Sequence[tuple[StoredObject, Document | None]]
    """The pod's ResourceClaims, each with its new allocation, or None if it is allocated already."""
    extended: ExtendedClaim | None
    """The ResourceClaim to be created for the pod's extended resources, or None."""


class _NodeResult(NamedTuple):
    """Result of the device filter for one node: why it rejects the node, or else the devices that the pod would get."""

    rejection: Rejection | None
    devices: PodDevices | None = None


class DeviceFilter(DeviceState):
    """Checks whether a node has the devices that the ResourceClaims of a pod request."""

    def __init__(self, context: SchedulingContext, claims: Sequence[StoredObject], extended: Sequence[str]) -> None:
        listers = context.listers
        self._pod = context.pod
        self._listers = listers
        self._now = listers.clock.now()
        self.claims = claims
        self._extended = extended
        """The extended resources of the pod that a DeviceClass provides."""
        self.stale_claim = _extended_claim(listers, context.pod) if extended else None
        self._unallocated = [claim for claim in claims if allocation_of(claim) is None]
        self._allocator = Allocator(listers.devices)
        self._results: dict[str, _NodeResult] = {}
        self.unavailable = {}

    @property
    def has_alternatives(self) -> bool:
        """True if a device request of the pod lists alternatives (``firstAvailable``), which affect nodes' scores."""
        requests = (claim.document["spec"]["devices"].get("requests") or () for claim in self.claims)
        return any(one.get("firstAvailable") for of_claim in requests for one in of_claim)

    def preference(self, node: NodeInfo) -> int:
        """Return a score for a node: the earlier in their lists the alternatives are that it satisfies, the higher."""
        devices = self.on_node(node).devices
        return 0 if devices is None else sum(_preference(*pair) for pair in devices.claims)

    def rejects(self, node: NodeInfo) -> Rejection | None:
        return self.on_node(node).rejection

    def on_node(self, node: NodeInfo) -> _NodeResult:
        """Return why the filter rejects a node, or else the devices that the pod would get there.

        The result is cached, because simulated additions and removals of other pods do not change it.

        Raises PluginError if a ResourceClaim or DeviceClass is unusable.
        """
        found = self._results.get(node.name)
        if found is None:
            try:
                found = self._results[node.name] = self._check(node)
            except AllocationError as error:
                raise PluginError(f'running "{NAME}" filter plugin: {error}') from None
        return found

    def _check(self, node: NodeInfo) -> _NodeResult:
        if self.stale_claim is not None:
            return _NodeResult(_STALE)
        extended = [name for name in self._extended if not node.facts.allocatable.scalars.get(name)]
        if self._extended and self._lacks_other_resource(node):
            return _NodeResult(_NO_RESOURCE)
        if not extended and not self.claims:
            return _NodeResult(None)
        unavailable = [claim for claim in self.claims if not self._is_available(claim, node)]
        wanted = extended_requests(self._pod.spec, extended, self._listers.extended_resources.class_of)
        try:
            # As in kube-scheduler, a pod that uses ResourceClaims gets one more claim for its extended resources. If
            # the node offers all these resources itself, the additional claim requests no devices.
            allocations = self._allocate(node, wanted.requests if self._extended else None)
        except UnusablePools:
            return _NodeResult(_INVALID_POOLS)
        if allocations is None:
            return _NodeResult(_NO_DEVICES)
        if unavailable:
            self.unavailable.update({claim.uid: claim for claim in unavailable})
            return _NodeResult(_UNAVAILABLE)
        by_uid = {claim.uid: allocation for claim, allocation in zip(self._unallocated, allocations, strict=False)}
        claims = [(claim, by_uid.get(claim.uid)) for claim in self.claims]
        made = ExtendedClaim(*wanted, allocations[-1]) if self._extended else None
        return _NodeResult(None, PodDevices(claims, made))

    def _lacks_other_resource(self, node: NodeInfo) -> bool:
        """True if the node lacks an extended resource of the pod that no DeviceClass provides."""
        amounts = self._pod.requests.resources.scalars
        known = node.facts.allocatable.scalars
        others = (name for name, amount in amounts.items() if amount and name not in self._extended)
        return any(name not in known for name in others if is_extended_resource(name) or name.startswith(DEVICE_CLASS))

    def _allocate(self, node: NodeInfo, extended: Sequence[Document] | None) -> list[Document] | None:
        wanted = [ClaimToAllocate(claim.namespace, claim.name, claim.document["spec"]) for claim in self._unallocated]
        if extended is not None:
            spec = {"devices": {"requests": extended}}
            wanted.append(ClaimToAllocate(self._pod.namespace, "<extended-resources>", spec))
        return self._allocator.allocate(node, wanted) if wanted else []

    def _is_available(self, claim: StoredObject, node: NodeInfo) -> bool:
        """True if a ResourceClaim is not allocated, or its devices are available on the node.

        If the binding of the devices has failed or timed out, they do not count as available.
        """
        allocation = allocation_of(claim)
        if allocation is None:
            return True
        if allocation.get("nodeSelector") is not None and not selects_node(allocation["nodeSelector"], node):
            return False
        try:
            return is_ready(claim) or not is_too_late(claim, self._now)
        except BindingFailed:
            return False


def _extended_claim(listers: ClusterListers, pod: PodInfo) -> StoredObject | None:
    for claim in listers.owned_resource_claims.of(pod.uid):
        annotations = claim.document["metadata"].get("annotations") or {}
        owner = controller_reference(claim.document)
        if annotations.get(ANNOTATION) == "true" and owner is not None and owner["name"] == pod.name:
            return claim
    return None


def _preference(claim: StoredObject, allocation: Document | None) -> int:
    results = ((allocation or allocation_of(claim) or {}).get("devices") or {}).get("results") or ()
    names = {result["request"] for result in results}
    return sum(
        _MOST_ALTERNATIVES - index
        for alternatives in requests_of_claim(claim.document["spec"])
        for index, one in enumerate(alternatives)
        if one.parent and one.full_name in names
    )
