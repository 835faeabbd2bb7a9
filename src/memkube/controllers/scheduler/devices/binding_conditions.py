"""Binding conditions: device conditions that must be True before a pod is bound (KEP-5007)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time
from memkube.controllers.resource_claims.pod_claims import allocation_of
from memkube.registry.objects.stored import StoredObject

TIMEOUT: Final = timedelta(minutes=10)
"""Time for which a pod waits for the binding conditions of its devices (``bindingTimeout``)."""


class BindingFailed(Exception):
    """Raised if a device reports by a condition that binding has failed. The text is kube-scheduler's message."""


def has_binding_conditions(claim: StoredObject) -> bool:
    """True if a device that is allocated to the ResourceClaim has binding conditions."""
    return any(result.get("bindingConditions") for result in _results(claim))


def is_ready(claim: StoredObject) -> bool:
    """True if the ResourceClaim is allocated, and all binding conditions of its devices are True.

    Raises BindingFailed if a binding failure condition of a device is True.
    """
    if allocation_of(claim) is None:
        return False
    for result in _results(claim):
        wanted = result.get("bindingConditions")
        if not wanted:
            continue
        conditions = _conditions(claim, result)
        if conditions is None:
            return False
        for name in result.get("bindingFailureConditions") or ():
            condition = conditions.get(name)
            if condition is not None and condition["status"] == "True":
                reason, message = condition["reason"], quoted(condition.get("message", ""))
                raise BindingFailed(f"device binding failed: claim={claim.name}, reason={reason}, message={message}")
        if any(conditions.get(name, {}).get("status") != "True" for name in wanted):
            return False
    return True


def is_too_late(claim: StoredObject, now: datetime) -> bool:
    """True if a ResourceClaim has binding conditions, and the timeout for them, from its allocation on, has passed."""
    allocated = (allocation_of(claim) or {}).get("allocationTimestamp")
    if allocated is None or not has_binding_conditions(claim):
        return False
    return Time(allocated).instant + TIMEOUT < now


def _results(claim: StoredObject) -> Iterator[Document]:
    devices = (allocation_of(claim) or {}).get("devices") or {}
    return iter(devices.get("results") or ())


def _conditions(claim: StoredObject, result: Document) -> dict[str, Document] | None:
    """Return the conditions of the allocated device `result` in the status of a ResourceClaim, by type.

    Returns None if the driver of the device has set no status for it.
    """
    for device in claim.document["status"].get("devices") or ():
        if all(device[field] == result[field] for field in ("driver", "pool", "device")):
            return {condition["type"]: condition for condition in device.get("conditions") or ()}
    return None
