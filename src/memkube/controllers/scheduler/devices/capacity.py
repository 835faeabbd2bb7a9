"""Capacities of devices that several ResourceClaims share (``structured/internal/incubating``)."""

from collections.abc import Mapping, Sequence

from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity


def fits_capacity(
    capacities: Mapping[str, Document], requested: Mapping[str, str], consumed: Sequence[Mapping[str, int]]
) -> bool:
    """True if a device has enough of each of its capacities for one more request.

    `requested` has the amounts of this request. `consumed` has a mapping for each earlier request, with the amounts
    that it consumes, in billionths. The result is False if a capacity is requested that the device does not have, or if
    an amount violates the capacity's request policy.
    """
    if not requested.keys() <= capacities.keys():
        return False
    for name, capacity in capacities.items():
        wanted = consumption(capacity, requested.get(name))
        if _violates(wanted, capacity.get("requestPolicy")):
            return False
        total = wanted.nano + sum(amounts.get(name, 0) for amounts in consumed)
        if total > Quantity(capacity["value"]).nano:
            return False
    return True


def consumed_capacity(capacities: Mapping[str, Document], requested: Mapping[str, str]) -> dict[str, Quantity]:
    """Return how much a request for the amounts in `requested` consumes of each of a device's `capacities`."""
    return {name: consumption(capacity, requested.get(name)) for name, capacity in capacities.items()}


def consumption(capacity: Document, requested: str | None) -> Quantity:
    """Return how much a request consumes of one capacity.

    The requested amount is rounded up as the capacity's request policy says. A request without an amount consumes the
    default of this policy, or else the whole capacity.
    """
    policy = capacity.get("requestPolicy") or {}
    if requested is None:
        return Quantity(policy.get("default", capacity["value"]))
    wanted, limits = Quantity(requested), policy.get("validRange") or {}
    if limits.get("min") is not None:
        return _in_range(wanted, limits)
    for value in policy.get("validValues") or ():
        if wanted.nano <= Quantity(value).nano:
            return Quantity(value)
    return wanted


def _in_range(wanted: Quantity, limits: Document) -> Quantity:
    least = Quantity(limits["min"])
    if wanted.nano < least.nano:
        return least
    if limits.get("step") is None:
        return wanted
    step = Quantity(limits["step"]).value
    steps = -((wanted.value - least.value) // -step)
    return Quantity.of((least.value + step * steps) * 10**9, "BinarySI")


def _violates(wanted: Quantity, policy: Document | None) -> bool:
    """True if the request policy of a capacity forbids the requested amount, `wanted`."""
    if policy is None or wanted == policy.get("default"):
        return False
    limits = policy.get("validRange")
    if limits is not None:
        if limits.get("max") is not None and wanted.nano > Quantity(limits["max"]).nano:
            return True
        step = limits.get("step")
        return step is not None and (wanted.value - Quantity(limits["min"]).value) % Quantity(step).value != 0
    values = policy.get("validValues") or ()
    return bool(values) and all(wanted.nano != Quantity(value).nano for value in values)
