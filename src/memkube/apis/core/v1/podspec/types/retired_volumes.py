"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Default, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32
from memkube.apis.core.v1.references import LocalObjectReference


class GCEPersistentDiskVolumeSource(ApiModel):
    """."""

    pdName: Annotated[str, Required()] = Field(default="", description="")
    fsType: str = Field(default="", description="")
    partition: Int32 = Field(default=0, description="")
    readOnly: bool = Field(default=False, description="")


class AWSElasticBlockStoreVolumeSource(ApiModel):
    """."""

    volumeID: Annotated[str, Required()] = Field(default="", description="")
    fsType: str = Field(default="", description="")
    partition: Int32 = Field(default=0, description="")
    readOnly: bool = Field(default=False, description="")


class GitRepoVolumeSource(ApiModel):
    """."""

    repository: Annotated[str, Required()] = Field(default="", description="")
    revision: str = Field(default="", description="")
    directory: str = Field(default="", description="")


class GlusterfsVolumeSource(ApiModel):
    """."""

    endpoints: Annotated[str, Required()] = Field(default="", description="")
    path: Annotated[str, Required()] = Field(default="", description="")
    readOnly: bool = Field(default=False, description="")


class RBDVolumeSource(ApiModel):
    """."""

    monitors: Annotated[list[str], Required()] = Field(default_factory=list, description="")
    image: Annotated[str, Required()] = Field(default="", description="")
    fsType: str = Field(default="", description="")
    pool: Annotated[str, Default("rbd")] = Field(default="", description="")
    user: Annotated[str, Default("admin")] = Field(default="", description="")
    keyring: Annotated[str, Default("/etc/ceph/keyring")] = Field(default="", description="")
    secretRef: LocalObjectReference | None = Field(default=None, description="")
    readOnly: bool = Field(default=False, description="")


class FlexVolumeSource(ApiModel):
    """."""

    driver: Annotated[str, Required()] = Field(default="", description="")
    fsType: str = Field(default="", description="")
    secretRef: LocalObjectReference | None = Field(default=None, description="")
    readOnly: bool = Field(default=False, description="")
    options: dict[str, str] = Field(default_factory=dict, description="")


class CinderVolumeSource(ApiModel):
    """."""

    volumeID: Annotated[str, Required()] = Field(default="", description="")
    fsType: str = Field(default="", description="")
    readOnly: bool = Field(default=False, description="")
    secretRef: LocalObjectReference | None = Field(default=None, description="")


class CephFSVolumeSource(ApiModel):
    """."""

    monitors: Annotated[list[str], Required()] = Field(default_factory=list, description="")
    path: str = Field(default="", description="")
    user: str = Field(default="", description="")
    secretFile: str = Field(default="", description="")
    secretRef: LocalObjectReference | None = Field(default=None, description="")
    readOnly: bool = Field(default=False, description="")


class FlockerVolumeSource(ApiModel):
    """."""

    datasetName: str = Field(default="", description="")
    datasetUUID: str = Field(default="", description="")


class AzureFileVolumeSource(ApiModel):
    """."""

    secretName: Annotated[str, Required()] = Field(default="", description="")
    shareName: Annotated[str, Required()] = Field(default="", description="")
    readOnly: bool = Field(default=False, description="")


class VsphereVirtualDiskVolumeSource(ApiModel):
    """."""

    volumePath: Annotated[str, Required()] = Field(default="", description="")
    fsType: str = Field(default="", description="")
    storagePolicyName: str = Field(default="", description="")
    storagePolicyID: str = Field(default="", description="")


class QuobyteVolumeSource(ApiModel):
    """."""

    registry: Annotated[str, Required()] = Field(default="", description="")
    volume: Annotated[str, Required()] = Field(default="", description="")
    readOnly: bool = Field(default=False, description="")
    user: str = Field(default="", description="")
    group: str = Field(default="", description="")
    tenant: str = Field(default="", description="")


class AzureDiskVolumeSource(ApiModel):
    """."""

    diskName: Annotated[str, Required()] = Field(default="", description="")
    diskURI: Annotated[str, Required()] = Field(default="", description="")
    cachingMode: Annotated[str | None, Named("v1.AzureDataDiskCachingMode", ("None", "ReadOnly", "ReadWrite")), Default("ReadWrite")] = Field(default=None, description="")
    fsType: Annotated[str | None, Default("ext4")] = Field(default=None, description="")
    readOnly: bool | None = Field(default=None, description="")
    kind: Annotated[str | None, Named("v1.AzureDataDiskKind", ("Dedicated", "Managed", "Shared")), Default("Shared")] = Field(default=None, description="")


class PhotonPersistentDiskVolumeSource(ApiModel):
    """."""

    pdID: Annotated[str, Required()] = Field(default="", description="")
    fsType: str = Field(default="", description="")


class PortworxVolumeSource(ApiModel):
    """."""

    volumeID: Annotated[str, Required()] = Field(default="", description="")
    fsType: str = Field(default="", description="")
    readOnly: bool = Field(default=False, description="")


class ScaleIOVolumeSource(ApiModel):
    """."""

    gateway: Annotated[str, Required()] = Field(default="", description="")
    system: Annotated[str, Required()] = Field(default="", description="")
    secretRef: Annotated[LocalObjectReference | None, Required()] = Field(default=None, description="")
    sslEnabled: bool = Field(default=False, description="")
    protectionDomain: str = Field(default="", description="")
    storagePool: str = Field(default="", description="")
    storageMode: Annotated[str, Default("ThinProvisioned")] = Field(default="", description="")
    volumeName: str = Field(default="", description="")
    fsType: Annotated[str, Default("xfs")] = Field(default="", description="")
    readOnly: bool = Field(default=False, description="")


class StorageOSVolumeSource(ApiModel):
    """."""

    volumeName: str = Field(default="", description="")
    volumeNamespace: str = Field(default="", description="")
    fsType: str = Field(default="", description="")
    readOnly: bool = Field(default=False, description="")
    secretRef: LocalObjectReference | None = Field(default=None, description="")
