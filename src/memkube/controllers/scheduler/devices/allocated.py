"""The devices that are allocated to ResourceClaims (``dynamicresources/allocateddevices.go``)."""

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
    """The use of a device by one claim."""

    device: DeviceId
    is_shared: bool
    consumed: Mapping[str, int]
    """Amounts of the device's capacities in billionths, for a device that allows several allocations."""


_NOTHING: Final[Mapping[str, int]] = {}


class AllocatedDevices:
    """The devices that claims use, including claims whose allocation is being written.

    Devices with admin access are not in use.
    """

    def __init__(self) -> None:
        self._uses: dict[str, list[_Use]] = {}
        """The devices of each claim, by uid of the claim."""
        self._pending: dict[str, list[_Use]] = {}
        """The devices of claims that were chosen and not written yet, by uid of the claim."""
        self._dedicated: Counter[DeviceId] = Counter()
        self._shared: Counter[DeviceId] = Counter()
        self._consumed: dict[DeviceId, Counter[str]] = {}

    def on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Count the devices of a created, changed or deleted claim."""
        claim = new or old
        assert claim is not None
        allocation = None if new is None else new.document["status"].get("allocation")
        self._replace(self._uses, claim.uid, allocation)

    def begin(self, uid: str, allocation: Document) -> None:
        """Count the devices that were chosen for a claim, until `end` is called."""
        self._replace(self._pending, uid, allocation)

    def end(self, uid: str) -> None:
        """Stop counting the devices that were chosen for a claim: they were written, or are no longer wanted."""
        self._replace(self._pending, uid, None)

    def is_pending(self, uid: str) -> bool:
        """True if devices were chosen for a claim, and the allocation is being written."""
        return uid in self._pending

    def is_dedicated(self, device: DeviceId) -> bool:
        """True if a device is allocated to a claim that does not share it."""
        return device in self._dedicated

    def is_used(self, device: DeviceId) -> bool:
        """True if a device, or a share of it, is allocated to a claim."""
        return device in self._dedicated or device in self._shared

    def consumed(self, device: DeviceId) -> Mapping[str, int] | None:
        """Return the amounts of a device's capacities that claims consume, in billionths; None if no claim does."""
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
