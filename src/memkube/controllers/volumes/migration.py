"""Annotations and finalizers of volumes and claims whose in-tree plugin is replaced by a CSI driver.

Source: ``updateMigrationAnnotations`` and ``modifyDeletionFinalizers`` of ``pv_controller_base.go``.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from memkube.apis.core.v1.persistentvolumes.types import PersistentVolume
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim
from memkube.controllers.volumes.binding_rules import (
    BETA_PROVISIONER,
    MIGRATED_TO,
    PROVISIONED_BY,
    PROVISIONER,
    annotations_of,
)
from memkube.controllers.volumes.binding_writes import BindingWrites
from memkube.controllers.volumes.plugins import IN_TREE, csi_driver_of
from memkube.registry.objects.stored import StoredObject

IN_TREE_FINALIZER: Final = "kubernetes.io/pv-controller"
"""Finalizer of a volume that an in-tree plugin deletes."""
EXTERNAL_FINALIZER: Final = "external-provisioner.volume.kubernetes.io/finalizer"
"""Finalizer of a volume that an external provisioner deletes."""


class Migration:
    """Annotates volumes and claims of an in-tree plugin with the CSI driver that replaces the plugin.

    Also sets the finalizers of the volumes.
    """

    def __init__(self, writes: BindingWrites) -> None:
        self._writes = writes

    async def annotate_claim(self, claim: StoredObject) -> StoredObject:
        """Set or remove the claim's annotation with the CSI driver that replaces its in-tree plugin.

        Returns the claim as stored.
        """
        annotations = annotations_of(claim.document)
        provisioner = annotations.get(PROVISIONER, annotations.get(BETA_PROVISIONER))
        if not _differs(annotations, provisioner):
            return claim
        assert provisioner is not None

        def change(obj: PersistentVolumeClaim) -> None:
            set_migrated(obj.metadata.annotations, provisioner)

        return await self._writes.change_claim(claim, change)

    async def annotate_volume(self, volume: StoredObject) -> StoredObject:
        """Set the annotation that names the CSI driver to which the volume's plugin is migrated, or remove it.

        Also set the volume's finalizers, which depend on that driver. Returns the volume as stored.
        """
        annotations = annotations_of(volume.document)
        provisioner = annotations.get(PROVISIONED_BY)
        if provisioner is None:
            return volume
        finalizers = volume.document["metadata"].get("finalizers") or []
        wanted = _finalizers(finalizers, provisioner, volume.document["spec"].get("persistentVolumeReclaimPolicy", ""))
        if wanted == finalizers and not _differs(annotations, provisioner):
            return volume

        def change(obj: PersistentVolume) -> None:
            set_migrated(obj.metadata.annotations, provisioner)
            obj.metadata.finalizers = wanted

        return await self._writes.change_volume(volume, change)


def set_migrated(annotations: dict[str, str], provisioner: str) -> None:
    """Set the annotation with the CSI driver that replaces a provisioner, or remove it if there is no such driver."""
    driver = csi_driver_of(provisioner)
    if driver:
        annotations[MIGRATED_TO] = driver
    elif annotations.get(MIGRATED_TO):
        del annotations[MIGRATED_TO]


def _differs(annotations: Mapping[str, str], provisioner: str | None) -> bool:
    return provisioner is not None and annotations.get(MIGRATED_TO, "") != csi_driver_of(provisioner)


def _finalizers(present: Sequence[str], provisioner: str, policy: str) -> list[str]:
    """Return the finalizers that a volume of this provisioner and reclaim policy should have.

    `present` are its present finalizers. Source: ``modifyDeletionFinalizers``.
    """
    if csi_driver_of(provisioner):
        return [name for name in present if name != IN_TREE_FINALIZER]
    if not provisioner.startswith(IN_TREE):
        return list(present)
    wanted = [name for name in present if name != EXTERNAL_FINALIZER]
    if policy != "Delete":
        return [name for name in wanted if name != IN_TREE_FINALIZER]
    return wanted if IN_TREE_FINALIZER in wanted else [*wanted, IN_TREE_FINALIZER]
