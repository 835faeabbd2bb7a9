"""DefaultStorageClass: claims that name no class get the cluster's default one."""

from typing import ClassVar

from memkube.admission.chain import Plugin
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import STORAGE_CLASS_ANNOTATION, PersistentVolumeClaim
from memkube.apis.storage.v1.classes import is_default_class
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.request_options import EVERYTHING


class DefaultStorageClass(Plugin):
    """Source: ``plugin/pkg/admission/storage/storageclass/setdefault``."""

    name: ClassVar[str] = "DefaultStorageClass"

    async def mutate(self, attributes: Attributes) -> None:
        """Names the default class in a new claim without one; where there is none, the claim stays as it is."""
        claim = attributes.new
        if attributes.subresource or not isinstance(claim, PersistentVolumeClaim):
            return
        if claim.spec.storageClassName is None and STORAGE_CLASS_ANNOTATION not in claim.metadata.annotations:
            claim.spec.storageClassName = await self._default_class()

    async def _default_class(self) -> str | None:
        """Of several default classes the newest; of those the first by name."""
        classes = await self._registry.find("storage.k8s.io", "v1", "storageclasses").list("", EVERYTHING)
        defaults = [stored.document["metadata"] for stored in classes.items if is_default_class(stored.document)]
        newest = max((metadata["creationTimestamp"] for metadata in defaults), default="")
        names = (metadata["name"] for metadata in defaults if metadata["creationTimestamp"] == newest)
        return min(names, default=None)
