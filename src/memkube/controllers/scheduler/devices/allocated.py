"""Index of the devices that are allocated to ResourceClaims (``dynamicresources/allocateddevices.go``)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.registry.objects.stored import StoredObject


class DeviceId(NamedTuple):
    """Driver, pool and name of a device, which identify the device in the cluster."""

    driver: str
    pool: str
    name: str

    def __str__(self) -> str:
        return "/".join(self)


class _Use(NamedTuple):
    """Use of an allocated device by one ResourceClaim."""

    device: DeviceId
    is_shared: bool
    consumed: Mapping[str, int]
    """Consumed amounts of the device's capacities in billionths, if the device allows several allocations."""


_NOTHING: Final[Mapping[str, int]] = {}


class AllocatedDevices:
    """The devices that ResourceClaims use, including claims whose allocation is still being written.

    A device that a claim uses with admin access does not count as used by this claim.
    """

    def __init__(self) -> None:
        self._uses: dict[str, list[_Use]] = {}
        """The devices that are allocated to each ResourceClaim, by uid of the claim."""
        self._pending: dict[str, list[_Use]] = {}
        """The devices that were chosen for ResourceClaims, but not written to them yet, by uid of the claim."""
        self._dedicated: Counter[DeviceId] = Counter()
        self._shared: Counter[DeviceId] = Counter()
        self._consumed: dict[DeviceId, Counter[str]] = {}

    def on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Update the devices in use after the creation, change or deletion of a ResourceClaim."""
        claim = new or old
        assert claim is not None
        allocation = None if new is None else new.document["status"].get("allocation")
        self._replace(self._uses, claim.uid, allocation)

    def begin(self, uid: str, allocation: Document) -> None:
        """Count the devices in `allocation` as used, until `end` is called.

        The allocation was chosen for the ResourceClaim with the uid `uid`, but is not written to it yet.
        """
        self._replace(self._pending, uid, allocation)

    def end(self, uid: str) -> None:
        """Stop counting the devices that `begin` counted: the allocation of the claim was written or given up."""
        self._replace(self._pending, uid, None)

    def is_pending(self, uid: str) -> bool:
        """True if an allocation was chosen for the ResourceClaim with this uid, but is not written to it yet."""
        return uid in self._pending

    def is_dedicated(self, device: DeviceId) -> bool:
        """True if a ResourceClaim uses the device alone, without sharing it."""
        return device in self._dedicated

    def is_used(self, device: DeviceId) -> bool:
        """True if a ResourceClaim uses the device or a share of it."""
        return device in self._dedicated or device in self._shared

    def consumed(self, device: DeviceId) -> Mapping[str, int] | None:
        """Return the consumed amounts of a device's capacities in billionths; None if no ResourceClaim consumes any."""
        return self._consumed.get(device)

    def _replace(self, uses: dict[str, list[_Use]], uid: str, allocation: Document | None) -> None:
        for use in uses.pop(uid, ()):
            self._count(use, -1)
        if allocation is not None:
            uses[uid] = list(_uses(allocation))
            for use in uses[uid]:
                self._count(use, 1)

    def _count(self, use: _Use, number: int) -> None:
        counts = self._shared if use.is_shared else self._dedicated
        counts[use.device] += number
        if not counts[use.device]:
            del counts[use.device]
        if not use.consumed:
            return
        consumed = self._consumed.setdefault(use.device, Counter())
        for name, amount in use.consumed.items():
            consumed[name] += number * amount
            if not consumed[name]:
                del consumed[name]
        if not consumed:
            del self._consumed[use.device]


def _uses(allocation: Document) -> Iterator[_Use]:
    for result in (allocation.get("devices") or {}).get("results") or ():
        if result.get("adminAccess"):
            continue
        device = DeviceId(result["driver"], result["pool"], result["device"])
        is_shared = result.get("shareID") is not None
        consumed = result.get("consumedCapacity") if is_shared else None
        amounts = {name: Quantity(text).nano for name, text in consumed.items()} if consumed else _NOTHING
        yield _Use(device, is_shared, amounts)
