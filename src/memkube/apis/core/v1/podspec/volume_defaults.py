"""What a volume gets where the client says nothing (``pkg/apis/core/v1/defaults.go``)."""

from collections.abc import Iterable

from memkube.apis.core.v1.podspec.container_defaults import default_pull_policy, default_resource_list
from memkube.apis.core.v1.podspec.types.projections import ProjectedVolumeSource
from memkube.apis.core.v1.podspec.types.retired_volumes import (
    AzureDiskVolumeSource,
    RBDVolumeSource,
    ScaleIOVolumeSource,
)
from memkube.apis.core.v1.podspec.types.volume_claims import PersistentVolumeClaimSpec
from memkube.apis.core.v1.podspec.types.volume_files import DownwardAPIVolumeFile
from memkube.apis.core.v1.podspec.types.volumes import EmptyDirVolumeSource, Volume, VolumeSource

FILE_MODE = 0o644
TOKEN_SECONDS = 3600


def default_volume(volume: Volume) -> None:
    """Fills a volume; one without a source becomes an empty directory."""
    if all(getattr(volume, name) is None for name in VolumeSource.model_fields):
        volume.emptyDir = EmptyDirVolumeSource()
        return
    if volume.image is not None and not volume.image.pullPolicy:
        volume.image.pullPolicy = default_pull_policy(volume.image.reference)
    if volume.hostPath is not None and volume.hostPath.type is None:
        volume.hostPath.type = ""
    for files in (volume.secret, volume.configMap, volume.downwardAPI, volume.projected):
        if files is not None and files.defaultMode is None:
            files.defaultMode = FILE_MODE
    if volume.downwardAPI is not None:
        _default_files(volume.downwardAPI.items)
    if volume.projected is not None:
        _default_projected(volume.projected)
    if volume.ephemeral is not None and volume.ephemeral.volumeClaimTemplate is not None:
        default_claim(volume.ephemeral.volumeClaimTemplate.spec)
    _default_network_volume(volume)


def _default_files(files: Iterable[DownwardAPIVolumeFile]) -> None:
    for file in files:
        if file.fieldRef is not None:
            file.fieldRef.apiVersion = file.fieldRef.apiVersion or "v1"


def _default_projected(projected: ProjectedVolumeSource) -> None:
    for source in projected.sources:
        if source.downwardAPI is not None:
            _default_files(source.downwardAPI.items)
        if source.serviceAccountToken is not None and source.serviceAccountToken.expirationSeconds is None:
            source.serviceAccountToken.expirationSeconds = TOKEN_SECONDS


def default_claim(spec: PersistentVolumeClaimSpec) -> None:
    """Fills a claim for storage."""
    spec.volumeMode = "Filesystem" if spec.volumeMode is None else spec.volumeMode
    default_resource_list(spec.resources.limits)
    default_resource_list(spec.resources.requests)


def _default_network_volume(volume: Volume) -> None:
    if volume.iscsi is not None:
        volume.iscsi.iscsiInterface = volume.iscsi.iscsiInterface or "default"
    if volume.rbd is not None:
        _default_rbd(volume.rbd)
    if volume.azureDisk is not None:
        _default_azure_disk(volume.azureDisk)
    if volume.scaleIO is not None:
        _default_scale_io(volume.scaleIO)


def _default_rbd(rbd: RBDVolumeSource) -> None:
    rbd.pool = rbd.pool or "rbd"
    rbd.user = rbd.user or "admin"
    rbd.keyring = rbd.keyring or "/etc/ceph/keyring"


def _default_azure_disk(disk: AzureDiskVolumeSource) -> None:
    disk.cachingMode = "ReadWrite" if disk.cachingMode is None else disk.cachingMode
    disk.fsType = "ext4" if disk.fsType is None else disk.fsType
    disk.readOnly = bool(disk.readOnly)
    disk.kind = "Shared" if disk.kind is None else disk.kind


def _default_scale_io(volume: ScaleIOVolumeSource) -> None:
    volume.storageMode = volume.storageMode or "ThinProvisioned"
    volume.fsType = volume.fsType or "xfs"
