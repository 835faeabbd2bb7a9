"""Quota usage of objects: object counts, and the special resources of Services and PersistentVolumeClaims."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Protocol

from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.resourcequotas.types import ScopedResourceSelectorRequirement
from memkube.quota.amounts import ONE, ZERO, Amounts
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.resource import Resource

if TYPE_CHECKING:
    from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim

ALIASES: Final = ("configmaps", "resourcequotas", "replicationcontrollers", "secrets")
"""Names of the core group's resources whose number of objects quotas can limit without ``count/``."""
_STORAGE: Final = "requests.storage"
_OF_CLASS: Final = ".storageclass.storage.k8s.io/"
_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"


class Evaluator(Protocol):
    """Computes the quota usage of objects of one resource (``quota.Evaluator``)."""

    def handles(self, attributes: Attributes) -> bool:
        """True if a write request can change the usage of a quota for this resource."""

    def matching(self, names: Iterable[str]) -> list[str]:
        """Return those resource names of a quota whose usage this evaluator computes."""

    def in_scope(self, requirement: ScopedResourceSelectorRequirement, obj: Any) -> bool:
        """True if an object is in the scope that one requirement of a quota's ``scopeSelector`` describes."""

    def missing(self, required: Iterable[str], obj: Any) -> str:
        """Return a message about resources in `required` that the object must specify but lacks; "" if it has all."""

    async def usage(self, obj: Any) -> Amounts:
        """Return the usage that the object adds to a quota, by limited resource."""

    def usage_ends(self, document: Document) -> datetime | None:
        """Return the time after which the usage of an unchanged object may differ; None if it never does."""

    def is_changed(self, old: Document, new: Document) -> bool:
        """True if an update of the object makes the quota controller calculate the usage again (``UpdateFilter``)."""


async def services(resource: Resource, stores: Stores) -> Evaluator:
    """Return the quota evaluator for Services, which counts them, their node ports and load balancers."""
    return Services(resource)


async def claims(resource: Resource, stores: Stores) -> Evaluator:
    """Return the quota evaluator for PersistentVolumeClaims, which counts them and their storage."""
    return Claims(resource)


def count_name(resource: Resource) -> str:
    """Return the quota's name for the number of objects of a resource, such as ``count/deployments.apps``."""
    return f"count/{resource.group_resource}"


def is_selected(requirement: ScopedResourceSelectorRequirement, value: str | None) -> bool:
    """True if the value of a scope meets a requirement of a quota's scopeSelector.

    `value` is None if the object has no value for the scope, such as a pod without a priority class.
    """
    match requirement.operator:
        case "In":
            return value in requirement.values
        case "NotIn":
            return value not in requirement.values
        case "Exists":
            return value is not None
        case _:
            return value is None


class ObjectCount:
    """Evaluator that counts objects; base class of the other evaluators."""

    def __init__(self, resource: Resource) -> None:
        self._count = count_name(resource)
        aliased = not resource.group and resource.plural in ALIASES
        self._names: tuple[str, ...] = (self._count, resource.plural) if aliased else (self._count,)

    def handles(self, attributes: Attributes) -> bool:
        return attributes.operation == "CREATE" and not attributes.subresource

    def matching(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name in self._names]

    def in_scope(self, requirement: ScopedResourceSelectorRequirement, obj: Any) -> bool:
        """Return False, because only pods and claims have scopes."""
        return False

    def missing(self, required: Iterable[str], obj: Any) -> str:
        return ""

    async def usage(self, obj: Any) -> Amounts:
        return dict.fromkeys(self._names, ONE)

    def usage_ends(self, document: Document) -> datetime | None:
        return None

    def is_changed(self, old: Document, new: Document) -> bool:
        return False


class Services(ObjectCount):
    """Evaluator for Services, which also counts load balancers and node ports."""

    def __init__(self, resource: Resource) -> None:
        super().__init__(resource)
        self._names = (self._count, "services", "services.nodeports", "services.loadbalancers")

    def handles(self, attributes: Attributes) -> bool:
        """True for creations and updates of Services. Updates count, because the type of a Service can change."""
        return attributes.operation in ("CREATE", "UPDATE") and not attributes.subresource

    def is_changed(self, old: Document, new: Document) -> bool:
        types = {service["spec"]["type"] for service in (old, new)}
        return len(types) > 1 and not types.isdisjoint(("NodePort", "LoadBalancer"))

    async def usage(self, obj: Any) -> Amounts:
        """Return the quota usage of a Service. Node ports are allocated after admission, so requested ports count."""
        spec, ports, balancers = obj.spec, 0, 0
        if spec.type in ("NodePort", "LoadBalancer"):
            ports = len(spec.ports)
        if spec.type == "LoadBalancer":
            balancers = 1
            if spec.allocateLoadBalancerNodePorts is False:
                ports = sum(port.nodePort != 0 for port in spec.ports)
        counts = (1, 1, ports, balancers)
        return {name: Quantity(str(count)) for name, count in zip(self._names, counts, strict=True)}


class Claims(ObjectCount):
    """Evaluator for PersistentVolumeClaims, which also counts requested storage, in total and by class."""

    def __init__(self, resource: Resource) -> None:
        super().__init__(resource)
        self._names = (self._count, "persistentvolumeclaims")

    def handles(self, attributes: Attributes) -> bool:
        """True for creations, updates and status updates of PersistentVolumeClaims.

        By an update, a claim can grow; a status update sets the allocated size.
        """
        if attributes.subresource == "status":
            return True
        return attributes.operation in ("CREATE", "UPDATE") and not attributes.subresource

    def matching(self, names: Iterable[str]) -> list[str]:
        of_class = (f"{_OF_CLASS}persistentvolumeclaims", f"{_OF_CLASS}{_STORAGE}")
        return [name for name in names if name in (*self._names, _STORAGE) or name.endswith(of_class)]

    def in_scope(self, requirement: ScopedResourceSelectorRequirement, obj: Any) -> bool:
        """True if `requirement` is about VolumeAttributesClasses, and one of the claim's classes meets it.

        A claim can have three classes: the specified, the current and the target class.
        """
        if requirement.scopeName != "VolumeAttributesClass":
            return False
        names: list[str | None] = [*_attribute_classes(obj)]
        return any(is_selected(requirement, name) for name in names or [None])

    def is_changed(self, old: Document, new: Document) -> bool:
        """Return True for every update.

        Kubernetes does so too, because it compares pointers to the allocated sizes, which always differ.
        """
        return True

    async def usage(self, obj: Any) -> Amounts:
        usage = dict.fromkeys(self._names, ONE)
        storage = _storage(obj)
        if storage is not None:
            usage[_STORAGE] = storage
        class_name = obj.metadata.annotations.get(_CLASS_ANNOTATION, obj.spec.storageClassName)
        if class_name:
            by_class = {name: amount for name, amount in usage.items() if name != self._count}
            usage |= {f"{class_name}{_OF_CLASS}{name}": amount for name, amount in by_class.items()}
        return usage


def _storage(claim: "PersistentVolumeClaim") -> Quantity | None:
    """Return the requested or the allocated storage of a claim in bytes, whichever is more, rounded up."""
    asked = claim.spec.resources.requests.get("storage")
    if asked is None:
        return None
    allocated = claim.status.allocatedResources.get("storage", ZERO)
    larger = allocated if allocated.nano > _whole(asked).nano else asked
    return _whole(larger)


def _whole(quantity: Quantity) -> Quantity:
    amount = quantity.amount
    return quantity if amount.exponent >= 0 else Quantity(amount.rounded_up(0).canonical)


def _attribute_classes(claim: "PersistentVolumeClaim") -> list[str]:
    modified = claim.status.modifyVolumeStatus
    names = (
        claim.spec.volumeAttributesClassName,
        claim.status.currentVolumeAttributesClassName,
        modified.targetVolumeAttributesClassName if modified is not None else None,
    )
    return [name for name in names if name]
