"""Requests for devices in ResourceClaims."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document

_PREVENTING: Final = ("NoExecute", "NoSchedule")


class DeviceRequest(NamedTuple):
    """A request for devices of one class: a whole request of a claim, or one of its alternatives."""

    name: str
    parent: str
    """Name of the request that this alternative belongs to; empty for a request without alternatives."""
    fields: Document

    @property
    def full_name(self) -> str:
        """The name in the allocation: the request's, or ``request/alternative``."""
        return f"{self.parent}/{self.name}" if self.parent else self.name

    @property
    def base_name(self) -> str:
        """The name of the request in the claim."""
        return self.parent or self.name

    @property
    def class_name(self) -> str:
        """The name of the DeviceClass."""
        name: str = self.fields["deviceClassName"]
        return name

    @property
    def selectors(self) -> Sequence[str]:
        """The CEL expressions that devices must match, besides those of the class."""
        return selectors_of(self.fields)

    @property
    def wants_all(self) -> bool:
        """True if all matching devices are requested."""
        return bool(self.fields.get("allocationMode") == "All")

    @property
    def number(self) -> int:
        """The number of devices, unless all are requested."""
        number: int = self.fields.get("count", 0)
        return number

    @property
    def has_admin_access(self) -> bool:
        """True if devices are requested for administration, even if other claims use them."""
        return bool(self.fields.get("adminAccess"))

    @property
    def tolerations(self) -> Sequence[Document]:
        """The tolerations of device taints."""
        return self.fields.get("tolerations") or ()

    @property
    def capacity(self) -> Mapping[str, str]:
        """The requested amounts of capacities."""
        return (self.fields.get("capacity") or {}).get("requests") or {}

    def tolerates(self, device: Document) -> bool:
        """True if no taint of a device prevents its allocation."""
        taints = (taint for taint in device.get("taints") or () if taint["effect"] in _PREVENTING)
        return all(any(tolerates_taint(one, taint) for one in self.tolerations) for taint in taints)


def tolerates_taint(toleration: Document, taint: Document) -> bool:
    """True if a toleration matches a taint of a device."""
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if toleration.get("key") not in (None, "", taint["key"]):
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return True
    return bool(toleration.get("value", "") == taint.get("value", ""))


def selectors_of(spec: Document) -> Sequence[str]:
    """Return the CEL expressions of a DeviceClass or request."""
    return [selector["cel"]["expression"] for selector in spec.get("selectors") or ()]


def alternatives_of(request: Document) -> Sequence[DeviceRequest]:
    """Return the alternatives of a request in order of preference; one if the request has no alternatives."""
    if request.get("exactly") is not None:
        return [DeviceRequest(request["name"], "", request["exactly"])]
    return [DeviceRequest(one["name"], request["name"], one) for one in request.get("firstAvailable") or ()]


def requests_of_claim(spec: Document) -> Iterator[Sequence[DeviceRequest]]:
    """Yield the alternatives of each request in the spec of a claim."""
    return (alternatives_of(request) for request in spec["devices"].get("requests") or ())
