"""Parses the device requests in the specs of ResourceClaims."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document

_PREVENTING: Final = ("NoExecute", "NoSchedule")


class DeviceRequest(NamedTuple):
    """A request for devices of one DeviceClass: a whole request of a ResourceClaim, or one of its alternatives."""

    name: str
    parent: str
    """Name of the device request of which this is an alternative; empty if this is a whole request."""
    fields: Document

    @property
    def full_name(self) -> str:
        """Name of the device request in an allocation: ``REQUEST``, or ``REQUEST/ALTERNATIVE`` for an alternative."""
        return f"{self.parent}/{self.name}" if self.parent else self.name

    @property
    def base_name(self) -> str:
        """Name of the device request in the ResourceClaim, without the name of the alternative."""
        return self.parent or self.name

    @property
    def class_name(self) -> str:
        """Name of the requested DeviceClass."""
        name: str = self.fields["deviceClassName"]
        return name

    @property
    def selectors(self) -> Sequence[str]:
        """CEL expressions of the request, which devices must match in addition to those of the DeviceClass."""
        return selectors_of(self.fields)

    @property
    def wants_all(self) -> bool:
        """True if the request is for all matching devices."""
        return bool(self.fields.get("allocationMode") == "All")

    @property
    def number(self) -> int:
        """Number of requested devices. It has no meaning if all matching devices are requested."""
        number: int = self.fields.get("count", 0)
        return number

    @property
    def has_admin_access(self) -> bool:
        """True if devices are requested for administration. Other claims may use them at the same time."""
        return bool(self.fields.get("adminAccess"))

    @property
    def tolerations(self) -> Sequence[Document]:
        """Tolerations of device taints in the request."""
        return self.fields.get("tolerations") or ()

    @property
    def capacity(self) -> Mapping[str, str]:
        """Requested amounts of device capacities, by name."""
        return (self.fields.get("capacity") or {}).get("requests") or {}

    def tolerates(self, device: Document) -> bool:
        """True if the request tolerates the taints of a device that would prevent the allocation of the device."""
        taints = (taint for taint in device.get("taints") or () if taint["effect"] in _PREVENTING)
        return all(any(tolerates_taint(one, taint) for one in self.tolerations) for taint in taints)


def tolerates_taint(toleration: Document, taint: Document) -> bool:
    """True if a toleration of a device request matches a taint of a device."""
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if toleration.get("key") not in (None, "", taint["key"]):
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return True
    return bool(toleration.get("value", "") == taint.get("value", ""))


def selectors_of(spec: Document) -> Sequence[str]:
    """Return the CEL expressions that select devices, from the spec of a DeviceClass or a request."""
    return [selector["cel"]["expression"] for selector in spec.get("selectors") or ()]


def alternatives_of(request: Document) -> Sequence[DeviceRequest]:
    """Return the alternatives of a device request in the order of preference.

    A request with ``exactly`` has one alternative: itself.
    """
    if request.get("exactly") is not None:
        return [DeviceRequest(request["name"], "", request["exactly"])]
    return [DeviceRequest(one["name"], request["name"], one) for one in request.get("firstAvailable") or ()]


def requests_of_claim(spec: Document) -> Iterator[Sequence[DeviceRequest]]:
    """Yield the alternatives of each device request in the spec of a ResourceClaim."""
    return (alternatives_of(request) for request in spec["devices"].get("requests") or ())
