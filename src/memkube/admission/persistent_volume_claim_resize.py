"""PersistentVolumeClaimResize: allows claims to grow only if they are bound and their StorageClass allows it."""

from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import STORAGE_CLASS_ANNOTATION, PersistentVolumeClaim
from memkube.registry.declarations.admission import Attributes, refused

_NOTHING: Final = Quantity("0")


class PersistentVolumeClaimResize(Plugin):
    """Admission plugin that allows claims to grow only if they are bound and their StorageClass allows expansion.

    Source: ``plugin/pkg/admission/storage/persistentvolume/resize``.
    """

    name: ClassVar[str] = "PersistentVolumeClaimResize"

    async def validate(self, attributes: Attributes) -> None:
        """Refuse to increase the size of a claim unless it is bound and its StorageClass allows expansion."""
        new, old = attributes.new, attributes.old
        if attributes.subresource or not isinstance(new, PersistentVolumeClaim):
            return
        if not isinstance(old, PersistentVolumeClaim) or _size(new).nano <= _size(old).nano:
            return
        if old.status.phase != "Bound":
            raise refused(attributes, "Only bound persistent volume claims can be expanded")
        if not await self._may_grow(new, old):
            raise refused(
                attributes,
                "only dynamically provisioned pvc can be resized and "
                "the storageclass that provisions the pvc must support resize",
            )

    async def _may_grow(self, new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> bool:
        name = _class_name(new)
        if not name or name != _class_name(old):
            return False
        try:
            stored = await self._registry.find("storage.k8s.io", "v1", "storageclasses").get("", name)
        except ApiError:
            return False
        return bool(stored.document.get("allowVolumeExpansion"))


def _size(claim: PersistentVolumeClaim) -> Quantity:
    return claim.spec.resources.requests.get("storage", _NOTHING)


def _class_name(claim: PersistentVolumeClaim) -> str:
    return claim.metadata.annotations.get(STORAGE_CLASS_ANNOTATION, claim.spec.storageClassName or "")
