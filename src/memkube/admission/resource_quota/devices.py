"""Quota usage of ResourceClaims (``evaluator/core/resource_claims.go``)."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from memkube.admission.resource_quota.amounts import ONE, ZERO, Amounts
from memkube.admission.resource_quota.evaluators import Evaluator, ObjectCount
from memkube.admission.resource_quota.pods import DEVICE_CLASS, is_requested_device, pod_usage
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.pods.types import Pod
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.request_options import EVERYTHING
from memkube.registry.declarations.resource import Resource

_PER_CLASS: Final = ".deviceclass.resource.k8s.io/devices"
_REQUESTED_CLASS: Final = f"requests.{DEVICE_CLASS}"
_MADE_FOR_POD: Final = "resource.kubernetes.io/extended-resource-claim"
_MOST_RESULTS: Final = 32
"""Maximum number of devices that count for a request with the allocation mode All."""


class DeviceClaims(ObjectCount):
    """Counts devices by device class, and by the extended resources that the classes provide."""

    def __init__(
        self, resource: Resource, extended: Mapping[str, str], classes: frozenset[str], owner: Amounts
    ) -> None:
        """`extended` maps device classes to extended resources; `owner` is the usage of the pod that owns the claim."""
        super().__init__(resource)
        self._extended = extended
        self._known = frozenset(extended.values()) | {f"{DEVICE_CLASS}{name}" for name in classes}
        self._owner = owner

    def handles(self, attributes: Attributes) -> bool:
        return attributes.operation in ("CREATE", "UPDATE") and not attributes.subresource

    def matching(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name == self._count or name.endswith(_PER_CLASS) or self._is_extended(name)]

    def usage(self, obj: Any) -> Amounts:
        usage: dict[str, Quantity] = {self._count: ONE}
        for request in obj.spec.devices.requests:
            options = request.firstAvailable or ([request.exactly] if request.exactly is not None else [])
            most: dict[str, int] = {}
            for option in options:
                most[option.deviceClassName] = max(most.get(option.deviceClassName, 0), _devices(option))
            for class_name, count in most.items():
                name = f"{class_name}{_PER_CLASS}"
                usage[name] = usage.get(name, ZERO).plus(Quantity(str(count)))
        return usage | self._extended_usage(usage)

    def _is_extended(self, name: str) -> bool:
        if name.startswith(_REQUESTED_CLASS) and name.removeprefix(_REQUESTED_CLASS) in self._extended:
            return True
        return is_requested_device(name) and name.removeprefix("requests.") in self._known

    def _extended_usage(self, usage: Amounts) -> dict[str, Quantity]:
        """Return the claim's devices as extended resources, minus those that are already charged for the pod."""
        extended: dict[str, Quantity] = {}
        for name, quantity in usage.items():
            class_name = name.removesuffix(_PER_CLASS)
            if class_name in ("", name):
                continue
            extended[f"{_REQUESTED_CLASS}{class_name}"] = quantity
            if class_name in self._extended:
                extended[f"requests.{self._extended[class_name]}"] = quantity
        rest = {name: quantity.minus(self._owner.get(name, ZERO)) for name, quantity in extended.items()}
        return {name: quantity for name, quantity in rest.items() if quantity.nano > 0}


def _devices(request: Any) -> int:
    if request.allocationMode == "ExactCount":
        return int(request.count)
    return _MOST_RESULTS if request.allocationMode == "All" else 0


async def device_claims(attributes: Attributes, stores: Stores) -> Evaluator:
    """Create the quota evaluator for ResourceClaims from the cluster's DeviceClasses."""
    found = await stores.find("resource.k8s.io", "v1", "deviceclasses").list("", EVERYTHING)
    classes = {s.document["metadata"]["name"]: s.document["spec"].get("extendedResourceName") for s in found.items}
    extended = {name: resource for name, resource in classes.items() if resource is not None}
    owner = await _owner_usage(attributes, stores)
    return DeviceClaims(attributes.resource, extended, frozenset(classes), owner)


async def _owner_usage(attributes: Attributes, stores: Stores) -> Amounts:
    """Return the quota usage of the pod that the claim was created for.

    It is empty unless the claim is the pod's extended resource claim, or the first one created for it.
    """
    claim: Any = attributes.new
    owner = next((o for o in claim.metadata.ownerReferences if o.controller), None)
    if claim.metadata.annotations.get(_MADE_FOR_POD) != "true" or owner is None:
        return {}
    if (owner.kind, owner.apiVersion) != ("Pod", "v1"):
        return {}
    try:
        stored = await stores.find("", "v1", "pods").get(attributes.namespace, owner.name)
    except ApiError:
        return {}
    pod = Pod.from_document(stored.document)
    status = pod.status.extendedResourceClaimStatus
    if pod.metadata.uid != owner.uid or (status is not None and status.resourceClaimName != claim.metadata.name):
        return {}
    if status is None and await _has_earlier_claim(attributes, stores, pod.metadata.uid):
        return {}
    return pod_usage(pod, "count/pods", stores.clock.now())


async def _has_earlier_claim(attributes: Attributes, stores: Stores, uid: str) -> bool:
    claim: Any = attributes.new
    found = await stores.find("resource.k8s.io", "v1", "resourceclaims").list(attributes.namespace, EVERYTHING)
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
