"""StorageObjectInUseProtection: adds finalizers that prevent the deletion of storage objects in use."""

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
    """Admission plugin that adds finalizers which prevent the deletion of storage objects in use.

    Source: ``plugin/pkg/admission/storage/storageobjectinuseprotection``.
    """

    name: ClassVar[str] = "StorageObjectInUseProtection"

    def __init__(self, parts: AdmissionParts) -> None:
        """Create the plugin. It reads no stored objects, so it does not use `parts`, the parts of the server."""

    async def mutate(self, attributes: Attributes) -> None:
        """Add a protection finalizer to a new storage object.

        After the object's deletion, a controller removes the finalizer as soon as the object is no longer in use.
        """
        new = attributes.new
        if attributes.subresource or not isinstance(new, ApiObject):
            return
        finalizer = _FINALIZERS[attributes.resource.plural]
        if finalizer not in new.metadata.finalizers:
            new.metadata.finalizers = [*new.metadata.finalizers, finalizer]
