"""StorageObjectInUseProtection: volumes, claims and classes of attributes stay while something uses them."""

from typing import ClassVar, Final

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.registry.declarations.admission import Attributes

_FINALIZERS: Final = {
    "persistentvolumes": "kubernetes.io/pv-protection",
    "persistentvolumeclaims": "kubernetes.io/pvc-protection",
    "volumeattributesclasses": "kubernetes.io/vac-protection",
}


class StorageObjectInUseProtection(Plugin):
    """Source: ``plugin/pkg/admission/storage/storageobjectinuseprotection``."""

    name: ClassVar[str] = "StorageObjectInUseProtection"

    def __init__(self, parts: AdmissionParts) -> None:
        """The parts.registry is not asked for anything."""

    async def mutate(self, attributes: Attributes) -> None:
        """Gives a new object the finalizer that a controller takes away when nothing uses it."""
        new = attributes.new
        if attributes.subresource or not isinstance(new, ApiObject):
            return
        finalizer = _FINALIZERS[attributes.resource.plural]
        if finalizer not in new.metadata.finalizers:
            new.metadata.finalizers = [*new.metadata.finalizers, finalizer]
