from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.persistentvolumes.types import PersistentVolume, PersistentVolumeSpec, PersistentVolumeStatus
from memkube.apis.core.v1.persistentvolumes.validation import (
    validate_persistent_volume,
    validate_persistent_volume_status_update,
    validate_persistent_volume_update,
)
from memkube.apis.core.v1.podspec.defaults import default_resource_list, default_volume_source
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import STORAGE_CLASS_ANNOTATION
from memkube.apis.core.v1.podspec.warnings.node_labels import node_term_warnings
from memkube.registry.declarations.interface import Finish, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import FieldPaths, Strategy
from memkube.time.clock import written_now

_SPEC: Final = FieldPath("spec")
_ANNOTATIONS: Final = FieldPath("metadata.annotations")
_RETIRED_ANNOTATIONS: Final = {
    STORAGE_CLASS_ANNOTATION: 'deprecated since v1.8; use "storageClassName" attribute instead',
    "volume.beta.kubernetes.io/mount-options": 'deprecated since v1.31; use "mountOptions" attribute instead',
}
_RECYCLE: Final = (
    "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning."
)
_RETIRED_SOURCES: Final = {
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}


def default_volume_spec(spec: PersistentVolumeSpec) -> None:
    """Set the defaults of capacity and source of a PersistentVolume, or of the inline volume of a VolumeAttachment."""
    default_resource_list(spec.capacity)
    default_volume_source(spec)


class PersistentVolumeStrategy(Strategy[PersistentVolume]):
    """Defaults and validates PersistentVolumes that clients create and update; they cannot set the status.

    Source: ``pkg/registry/core/persistentvolume/strategy.go``.
    """

    returns_deleted: ClassVar[bool] = True
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    validate = staticmethod(validate_persistent_volume)
    validate_update = staticmethod(validate_persistent_volume_update)

    def default(self, obj: PersistentVolume) -> None:
        obj.status.phase = obj.status.phase or "Pending"
        spec = obj.spec
        spec.persistentVolumeReclaimPolicy = spec.persistentVolumeReclaimPolicy or "Retain"
        spec.volumeMode = "Filesystem" if spec.volumeMode is None else spec.volumeMode
        default_volume_spec(spec)

    def prepare_for_create(self, obj: PersistentVolume, now: Time) -> list[str]:
        obj.status = PersistentVolumeStatus(phase="Pending", lastPhaseTransitionTime=now)
        return []

    def warnings_on_create(self, obj: PersistentVolume) -> list[str]:
        return _warnings(obj)

    def prepare_for_update(self, new: PersistentVolume, old: PersistentVolume) -> None:
        """Discard an update's changes to ``status``, which only the ``status`` subresource may write."""
        new.status = old.status

    def warnings_on_update(self, new: PersistentVolume, old: PersistentVolume) -> list[str]:
        return _warnings(new)


class PersistentVolumeStatusStrategy(PersistentVolumeStrategy):
    """Strategy for writing the ``status`` subresource of PersistentVolumes, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = (("spec",),)

    validate_update = staticmethod(validate_persistent_volume_status_update)

    async def begin_update(
        self, stores: Stores, new: PersistentVolume, old: PersistentVolume, context: WriteContext
    ) -> Finish | None:
        """Set a volume's `lastPhaseTransitionTime` if its phase changed and the client did not set the time."""
        given, before = new.status.lastPhaseTransitionTime, old.status.lastPhaseTransitionTime
        if new.status.phase == old.status.phase:
            new.status.lastPhaseTransitionTime = before if given is None else given
        elif given in (None, before):
            new.status.lastPhaseTransitionTime = written_now(stores.clock)
        return None

    def prepare_for_update(self, new: PersistentVolume, old: PersistentVolume) -> None:
        """Discard an update's changes to ``spec``: the ``status`` subresource writes only the status."""
        new.spec = old.spec

    def warnings_on_update(self, new: PersistentVolume, old: PersistentVolume) -> list[str]:
        return []


def _warnings(volume: PersistentVolume) -> list[str]:
    """Return warnings about a PersistentVolume for the response's Warning headers.

    Source: ``pkg/api/persistentvolume/util.go``.
    """
    spec = volume.spec
    warnings = [
        f"{_ANNOTATIONS.key(name)}: {prose}"
        for name, prose in _RETIRED_ANNOTATIONS.items()
        if name in volume.metadata.annotations
    ]
    if spec.persistentVolumeReclaimPolicy == "Recycle":
        warnings.append(f"{_SPEC.child('persistentVolumeReclaimPolicy')}: {_RECYCLE}")
    if spec.nodeAffinity is not None and spec.nodeAffinity.required is not None:
        path = _SPEC.child("nodeAffinity").child("required").child("nodeSelectorTerms")
        for index, term in enumerate(spec.nodeAffinity.required.nodeSelectorTerms):
            warnings += node_term_warnings(term, path.item(index), check_values=False)
    for name, prose in _RETIRED_SOURCES.items():
        if getattr(spec, name) is not None:
            warnings.append(f"{_SPEC.child('storageOS' if name == 'storageos' else name)}: {prose}")
    return warnings
