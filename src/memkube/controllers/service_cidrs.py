"""The controller of ServiceCIDRs: sets their condition Ready, and delays their deletion while they are in use.

Source: ``pkg/controller/servicecidrs``.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition, find_condition
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.standing import is_standing
from memkube.apis.networking.v1.servicecidrs.types import ServiceCIDR
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import Retries
from memkube.controllers.workloads.pod_state import is_terminating
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

_Network: TypeAlias = IPv4Network | IPv6Network
_RANGES: Final = ("networking.k8s.io", "v1", "servicecidrs")
_ADDRESSES: Final = ("networking.k8s.io", "v1", "ipaddresses")
_NAME: Final = "service-cidr-controller"
_FINALIZER: Final = "networking.k8s.io/service-cidr-finalizer"
_MANAGED_BY: Final = "ipaddress.kubernetes.io/managed-by"
_ALLOCATOR: Final = "ipallocator.k8s.io"
_GRACE: Final = timedelta(seconds=10)
"""Time for which a deleted ServiceCIDR remains, so that address allocators learn of its deletion."""
_READY: Final = Condition(type="Ready", status="True", message="Kubernetes Service CIDR is ready")
_IN_USE: Final = Condition(
    type="Ready",
    status="False",
    reason="Terminating",
    message="There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
)


class ServiceCIDRController:
    """Adds a finalizer and the condition Ready to ServiceCIDRs, and removes the finalizer when they are not in use.

    A terminating ServiceCIDR is in use if it contains the address of a Service, and no other ServiceCIDR contains this
    address. The default ServiceCIDR gets no finalizer, because a finalizer would start the garbage collector in every
    server.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._client = runtime.client_of(_NAME)
        self._queue = runtime.queue("ipaddresses", self._sync, retries=Retries(most=15))
        self._ranges = runtime.informers.of(*_RANGES)
        self._addresses = runtime.informers.of(*_ADDRESSES)
        self._ranges.subscribe(self._on_range)
        self._addresses.subscribe(self._on_address)

    def _on_range(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            return
        self._queue.add(new.name)
        if old is None:
            networks = [*_networks(new)]
            for other in self._ranges:
                if any(one.overlaps(each) for one in _networks(other) for each in networks):
                    self._queue.add(other.name)

    def _on_address(self, old: StoredObject | None, new: StoredObject | None) -> None:
        known = new or old
        assert known is not None
        if (old is None or new is None) and known.labels.get(_MANAGED_BY) == _ALLOCATOR:
            for name in self._containing(known.name):
                self._queue.add(name)

    async def _sync(self, name: str) -> None:
        stored = self._ranges.get("", name)
        if stored is None or is_standing(stored):
            return
        with ignoring_absence():
            if not is_terminating(stored):
                await self._set_finalizer(stored, wanted=True)
                await self._set_condition(stored, _READY)
            elif self._is_in_use(stored):
                await self._set_condition(stored, _IN_USE)
            else:
                await self._release(stored)

    async def _release(self, stored: StoredObject) -> None:
        """Remove the finalizer of a terminating ServiceCIDR that is not in use, ten seconds after its deletion."""
        deleted = datetime.fromisoformat(stored.document["metadata"]["deletionTimestamp"])
        left = (deleted + _GRACE - self._runtime.clock.now()).total_seconds()
        if left > 0:
            self._queue.add_after(stored.name, left)
        else:
            await self._set_finalizer(stored, wanted=False)

    async def _set_finalizer(self, stored: StoredObject, *, wanted: bool) -> None:
        if (_FINALIZER in (stored.document["metadata"].get("finalizers") or ())) == wanted:
            return

        def change(obj: ApiObject) -> None:
            others = [name for name in obj.metadata.finalizers if name != _FINALIZER]
            obj.metadata.finalizers = [*others, _FINALIZER] if wanted else others

        resource = self._runtime.registry.find(*_RANGES).resource
        await self._runtime.client.update(resource, stored, change)

    async def _set_condition(self, stored: StoredObject, wanted: Condition) -> None:
        known = find_condition(ServiceCIDR.from_document(stored.document).status.conditions, "Ready")
        if known is None or _meaning(known) != _meaning(wanted):
            resource = self._runtime.registry.find(*_RANGES).resource
            condition = {**_shown(wanted), "lastTransitionTime": written_now(self._runtime.clock)}
            fields = {"status": {"conditions": [condition]}}
            await self._client.apply(resource, "", stored.name, fields, subresource="status")

    def _is_in_use(self, stored: StoredObject) -> bool:
        """True if an allocated address is in this ServiceCIDR and in no other one.

        False if other ServiceCIDRs contain the whole range.
        """
        networks = [*_networks(stored)]
        others = [network for other in self._ranges if other.name != stored.name for network in _networks(other)]
        if all(any(_contains(other, network) for other in others) for network in networks):
            return False
        return any(
            self._containing(address.name) == [stored.name]
            for address in self._addresses
            if address.labels.get(_MANAGED_BY) == _ALLOCATOR
        )

    def _containing(self, address: str) -> list[str]:
        """Return the names of the ServiceCIDRs that contain an address."""
        parsed = ip_address(address)
        return [stored.name for stored in self._ranges if any(parsed in network for network in _networks(stored))]


def _shown(condition: Condition) -> Document:
    return {name: getattr(condition, name) for name in ("type", "status", "reason", "message")}


def _meaning(condition: Condition) -> tuple[str, str, str]:
    return condition.status, condition.reason, condition.message


def _networks(stored: StoredObject) -> Iterator[_Network]:
    for cidr in stored.document["spec"].get("cidrs") or []:
        yield ip_network(cidr)


def _contains(network: _Network, other: _Network) -> bool:
    return network.version == other.version and other.network_address in network and other.broadcast_address in network
