"""DefaultStorageClass: sets the default StorageClass in PersistentVolumeClaims without one."""

from typing import ClassVar

from memkube.admission.chain import Plugin
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import STORAGE_CLASS_ANNOTATION, PersistentVolumeClaim
from memkube.apis.storage.v1.classes import default_class
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.request_options import EVERYTHING


class DefaultStorageClass(Plugin):
    """Admission plugin that sets the default StorageClass in PersistentVolumeClaims without one.

    Source: ``plugin/pkg/admission/storage/storageclass/setdefault``.
    """

    name: ClassVar[str] = "DefaultStorageClass"

    async def mutate(self, attributes: Attributes) -> None:
        """Set the default StorageClass, if one exists, in a new claim that names no class."""
        claim = attributes.new
        if attributes.subresource or not isinstance(claim, PersistentVolumeClaim):
            return
        if claim.spec.storageClassName is None and STORAGE_CLASS_ANNOTATION not in claim.metadata.annotations:
            claim.spec.storageClassName = await self._default_class()

    async def _default_class(self) -> str | None:
        classes = await self._registry.find("storage.k8s.io", "v1", "storageclasses").list("", EVERYTHING)
        return default_class(stored.document for stored in classes.items)
