"""Constraints of a ResourceClaim on its devices' attributes (``structured/internal/incubating/constraint.go``)."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.devices.allocated import DeviceId

_Attribute: TypeAlias = tuple[str, Any]
"""Type and value of a device attribute."""


class Constraint:
    """A constraint on the devices for some requests of a ResourceClaim. It records the devices chosen so far."""

    def __init__(self, document: Document) -> None:
        self._requests = frozenset(document.get("requests") or ())
        self._attribute: str = document.get("matchAttribute") or document.get("distinctAttribute") or ""

    def add(self, request: str, alternative: str, device_id: DeviceId, device: Document) -> bool:
        """Record the choice of a device for a request, or for its `alternative` if that is not empty.

        Returns False, without recording the choice, if the constraint forbids the device. A constraint that does not
        apply to the request forbids no device.
        """
        if not self._applies(request, alternative):
            return True
        attribute = _find(device, device_id, self._attribute)
        return attribute is not None and self._choose(request, attribute)

    def remove(self, request: str, alternative: str) -> None:
        """Remove the record of the device that was chosen last for a request, or for its `alternative` if not empty."""
        if self._applies(request, alternative):
            self._drop(request)

    def _applies(self, request: str, alternative: str) -> bool:
        full = f"{request}/{alternative}" if alternative else request
        return not self._requests or not self._requests.isdisjoint((request, full))

    def _choose(self, request: str, attribute: _Attribute) -> bool:
        raise NotImplementedError

    def _drop(self, request: str) -> None:
        raise NotImplementedError


class MatchingAttribute(Constraint):
    """Constraint ``matchAttribute``: all devices must have the same value of an attribute."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._value: _Attribute | None = None
        self._number = 0

    def _choose(self, request: str, attribute: _Attribute) -> bool:
        if self._number and attribute != self._value:
            return False
        self._value = attribute
        self._number += 1
        return True

    def _drop(self, request: str) -> None:
        self._number -= 1


class DistinctAttribute(Constraint):
    """Constraint ``distinctAttribute``: devices must have different values of an attribute.

    As in kube-scheduler, if several devices are chosen for the same request, further devices are only compared with the
    last of them.
    """

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._values: dict[str, _Attribute] = {}
        self._number = 0

    def _choose(self, request: str, attribute: _Attribute) -> bool:
        if self._number and attribute in self._values.values():
            return False
        self._values[request] = attribute
        self._number += 1
        return True

    def _drop(self, request: str) -> None:
        self._values.pop(request, None)
        self._number -= 1


def constraints_of(spec: Document) -> Sequence[Constraint]:
    """Return the constraints in the spec of a ResourceClaim."""
    documents = spec["devices"].get("constraints") or ()
    return [MatchingAttribute(one) if one.get("matchAttribute") else DistinctAttribute(one) for one in documents]


def _find(device: Document, device_id: DeviceId, name: str) -> _Attribute | None:
    """Return the attribute `name`, in the form ``DOMAIN/NAME``, of a device; None if the device does not have it.

    Attribute names without a domain belong to the domain of the device's driver, which `device_id` names.
    """
    attributes = device.get("attributes") or {}
    domain, _, identifier = name.partition("/")
    found = attributes.get(name)
    if found is None and domain == device_id.driver:
        found = attributes.get(identifier)
    if found is None:
        return None
    # Return the type together with the value, because True == 1 in Python.
    kinds = (kind for kind in ("string", "int", "bool", "version") if found.get(kind) is not None)
    return next(((kind, found[kind]) for kind in kinds), None)
