"""Quota evaluator for ResourceClaims, which counts devices by class (``evaluator/core/resource_claims.go``)."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.pods.types import Pod
from memkube.quota.amounts import ONE, ZERO, Amounts
from memkube.quota.evaluators import Evaluator, ObjectCount
from memkube.quota.pods import DEVICE_CLASS, is_requested_device, pod_usage
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.request_options import EVERYTHING
from memkube.registry.declarations.resource import Resource

_PER_CLASS: Final = ".deviceclass.resource.k8s.io/devices"
_REQUESTED_CLASS: Final = f"requests.{DEVICE_CLASS}"
_MADE_FOR_POD: Final = "resource.kubernetes.io/extended-resource-claim"
_PAST: Final = datetime.min.replace(tzinfo=UTC)
_MOST_RESULTS: Final = 32
"""Maximum number of devices that count for a request with the allocation mode All."""


class DeviceClaims(ObjectCount):
    """Evaluator for ResourceClaims: counts devices by device class, and by the extended resources of the classes."""

    def __init__(self, resource: Resource, stores: Stores, classes: Mapping[str, str | None]) -> None:
        """Create the evaluator. `stores` finds the pods that own claims.

        `classes` maps the name of each DeviceClass to the extended resource that it provides, or to None.
        """
        super().__init__(resource)
        self._stores = stores
        self._extended = {name: extended for name, extended in classes.items() if extended is not None}
        self._known = {*self._extended.values(), *(f"{DEVICE_CLASS}{name}" for name in classes)}

    def handles(self, attributes: Attributes) -> bool:
        return attributes.operation in ("CREATE", "UPDATE") and not attributes.subresource

    def matching(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name == self._count or name.endswith(_PER_CLASS) or self._is_extended(name)]

    async def usage(self, obj: Any) -> Amounts:
        usage: dict[str, Quantity] = {self._count: ONE}
        for request in obj.spec.devices.requests:
            options = request.firstAvailable or ([request.exactly] if request.exactly is not None else [])
            most: dict[str, int] = {}
            for option in options:
                most[option.deviceClassName] = max(most.get(option.deviceClassName, 0), _devices(option))
            for class_name, count in most.items():
                name = f"{class_name}{_PER_CLASS}"
                usage[name] = usage.get(name, ZERO).plus(Quantity(str(count)))
        return usage | self._extended_usage(usage, await _owner_usage(obj, self._stores))

    def usage_ends(self, document: Document) -> datetime | None:
        """Return a past time, so that the usage is never cached: it also depends on pods and DeviceClasses."""
        return _PAST

    def _is_extended(self, name: str) -> bool:
        if name.startswith(_REQUESTED_CLASS) and name.removeprefix(_REQUESTED_CLASS) in self._extended:
            return True
        return is_requested_device(name) and name.removeprefix("requests.") in self._known

    def _extended_usage(self, usage: Amounts, owner: Amounts) -> dict[str, Quantity]:
        """Convert `usage`, the numbers of a claim's devices by device class, to amounts of extended resources.

        `owner` has the usage of the pod that owns the claim. A quota already charges this usage for the pod, so it is
        subtracted.
        """
        extended: dict[str, Quantity] = {}
        for name, quantity in usage.items():
            class_name = name.removesuffix(_PER_CLASS)
            if class_name in ("", name):
                continue
            extended[f"{_REQUESTED_CLASS}{class_name}"] = quantity
            if class_name in self._extended:
                extended[f"requests.{self._extended[class_name]}"] = quantity
        rest = {name: quantity.minus(owner.get(name, ZERO)) for name, quantity in extended.items()}
        return {name: quantity for name, quantity in rest.items() if quantity.nano > 0}


def _devices(request: Any) -> int:
    if request.allocationMode == "ExactCount":
        return int(request.count)
    return _MOST_RESULTS if request.allocationMode == "All" else 0


async def device_claims(resource: Resource, stores: Stores) -> Evaluator:
    """Create the quota evaluator for ResourceClaims from the cluster's DeviceClasses."""
    found = await stores.find("resource.k8s.io", "v1", "deviceclasses").list("", EVERYTHING)
    classes = {stored.name: stored.document["spec"].get("extendedResourceName") for stored in found.items}
    return DeviceClaims(resource, stores, classes)


async def _owner_usage(claim: Any, stores: Stores) -> Amounts:
    """Return the quota usage of the pod that owns a claim.

    This is only for the claim that was created for the extended resources of the pod: the one that the pod's status
    names or, before it names one, the oldest of these claims. For all other claims, the usage is empty.
    """
    owner = next((o for o in claim.metadata.ownerReferences if o.controller), None)
    if claim.metadata.annotations.get(_MADE_FOR_POD) != "true" or owner is None:
        return {}
    if (owner.kind, owner.apiVersion) != ("Pod", "v1"):
        return {}
    try:
        stored = await stores.find("", "v1", "pods").get(claim.metadata.namespace, owner.name)
    except ApiError:
        return {}
    pod = Pod.from_document(stored.document)
    status = pod.status.extendedResourceClaimStatus
    if pod.metadata.uid != owner.uid or (status is not None and status.resourceClaimName != claim.metadata.name):
        return {}
    if status is None and await _has_earlier_claim(claim, stores, pod.metadata.uid):
        return {}
    return pod_usage(pod, "count/pods", stores.clock.now())


async def _has_earlier_claim(claim: Any, stores: Stores, uid: str) -> bool:
    claims = stores.find("resource.k8s.io", "v1", "resourceclaims")
    found = await claims.list(claim.metadata.namespace, EVERYTHING)
    mine = (claim.metadata.creationTimestamp or "", claim.metadata.name)
    others = (stored.document for stored in found.items)
    return any(_is_owned_by(other, uid) and _age(other) < mine for other in others)


def _is_owned_by(claim: Document, uid: str) -> bool:
    metadata = claim["metadata"]
    made = (metadata.get("annotations") or {}).get(_MADE_FOR_POD) == "true"
    return made and any(
        owner["uid"] == uid and owner.get("controller") for owner in metadata.get("ownerReferences", ())
    )


def _age(claim: Document) -> tuple[str, str]:
    return claim["metadata"].get("creationTimestamp", ""), claim["metadata"]["name"]
