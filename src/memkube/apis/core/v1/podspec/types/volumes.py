"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Default, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Quantity
from memkube.apis.core.v1.podspec.types.projections import ProjectedVolumeSource
from memkube.apis.core.v1.podspec.types.retired_volumes import AWSElasticBlockStoreVolumeSource, AzureDiskVolumeSource, AzureFileVolumeSource, CephFSVolumeSource, CinderVolumeSource, FlexVolumeSource, FlockerVolumeSource, GCEPersistentDiskVolumeSource, GitRepoVolumeSource, GlusterfsVolumeSource, PhotonPersistentDiskVolumeSource, PortworxVolumeSource, QuobyteVolumeSource, RBDVolumeSource, ScaleIOVolumeSource, StorageOSVolumeSource, VsphereVirtualDiskVolumeSource
from memkube.apis.core.v1.podspec.types.volume_claims import PersistentVolumeClaimTemplate
from memkube.apis.core.v1.podspec.types.volume_files import DownwardAPIVolumeFile, KeyToPath
from memkube.apis.core.v1.references import LocalObjectReference


class CSIVolumeSource(ApiModel):
    """."""

    driver: Annotated[str, Required()] = Field(default="", description="")
    readOnly: bool | None = Field(default=None, description="")
    fsType: str | None = Field(default=None, description="")
    volumeAttributes: dict[str, str] = Field(default_factory=dict, description="")
    nodePublishSecretRef: LocalObjectReference | None = Field(default=None, description="")


class ConfigMapVolumeSource(LocalObjectReference):
    """."""

    items: list[KeyToPath] = Field(default_factory=list, description="")
    defaultMode: Int32 | None = Field(default=None, description="")
    optional: bool | None = Field(default=None, description="")


class DownwardAPIVolumeSource(ApiModel):
    """."""

    items: list[DownwardAPIVolumeFile] = Field(default_factory=list, description="")
    defaultMode: Int32 | None = Field(default=None, description="")


class EmptyDirVolumeSource(ApiModel):
    """."""

    medium: Annotated[str, Named("v1.StorageMedium")] = Field(default="", description="")
    sizeLimit: Quantity | None = Field(default=None, description="")


class EphemeralVolumeSource(ApiModel):
    """."""

    volumeClaimTemplate: PersistentVolumeClaimTemplate | None = Field(default=None, description="")


class FCVolumeSource(ApiModel):
    """."""

    targetWWNs: list[str] = Field(default_factory=list, description="")
    lun: Int32 | None = Field(default=None, description="")
    fsType: str = Field(default="", description="")
    readOnly: bool = Field(default=False, description="")
    wwids: list[str] = Field(default_factory=list, description="")


class HostPathVolumeSource(ApiModel):
    """."""

    path: Annotated[str, Required()] = Field(default="", description="")
    type: Annotated[str | None, Named("v1.HostPathType", ("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"))] = Field(default=None, description="")


class ISCSIVolumeSource(ApiModel):
    """."""

    targetPortal: Annotated[str, Required()] = Field(default="", description="")
    iqn: Annotated[str, Required()] = Field(default="", description="")
    lun: Annotated[Int32, Required()] = Field(default=0, description="")
    iscsiInterface: Annotated[str, Default("default")] = Field(default="", description="")
    fsType: str = Field(default="", description="")
    readOnly: bool = Field(default=False, description="")
    portals: list[str] = Field(default_factory=list, description="")
    chapAuthDiscovery: bool = Field(default=False, description="")
    chapAuthSession: bool = Field(default=False, description="")
    secretRef: LocalObjectReference | None = Field(default=None, description="")
    initiatorName: str | None = Field(default=None, description="")


class ImageVolumeSource(ApiModel):
    """."""

    reference: str = Field(default="", description="")
    pullPolicy: Annotated[str, Named("v1.PullPolicy", ("Always", "IfNotPresent", "Never"))] = Field(default="", description="")


class NFSVolumeSource(ApiModel):
    """."""

    server: Annotated[str, Required()] = Field(default="", description="")
    path: Annotated[str, Required()] = Field(default="", description="")
    readOnly: bool = Field(default=False, description="")


class PersistentVolumeClaimVolumeSource(ApiModel):
    """."""

    claimName: Annotated[str, Required()] = Field(default="", description="")
    readOnly: bool = Field(default=False, description="")


class SecretVolumeSource(ApiModel):
    """."""

    secretName: str = Field(default="", description="")
    items: list[KeyToPath] = Field(default_factory=list, description="")
    defaultMode: Int32 | None = Field(default=None, description="")
    optional: bool | None = Field(default=None, description="")


class VolumeSource(ApiModel):
    """."""

    hostPath: HostPathVolumeSource | None = Field(default=None, description="")
    emptyDir: EmptyDirVolumeSource | None = Field(default=None, description="")
    gcePersistentDisk: GCEPersistentDiskVolumeSource | None = Field(default=None, description="")
    awsElasticBlockStore: AWSElasticBlockStoreVolumeSource | None = Field(default=None, description="")
    gitRepo: GitRepoVolumeSource | None = Field(default=None, description="")
    secret: SecretVolumeSource | None = Field(default=None, description="")
    nfs: NFSVolumeSource | None = Field(default=None, description="")
    iscsi: ISCSIVolumeSource | None = Field(default=None, description="")
    glusterfs: GlusterfsVolumeSource | None = Field(default=None, description="")
    persistentVolumeClaim: PersistentVolumeClaimVolumeSource | None = Field(default=None, description="")
    rbd: RBDVolumeSource | None = Field(default=None, description="")
    flexVolume: FlexVolumeSource | None = Field(default=None, description="")
    cinder: CinderVolumeSource | None = Field(default=None, description="")
    cephfs: CephFSVolumeSource | None = Field(default=None, description="")
    flocker: FlockerVolumeSource | None = Field(default=None, description="")
    downwardAPI: DownwardAPIVolumeSource | None = Field(default=None, description="")
    fc: FCVolumeSource | None = Field(default=None, description="")
    azureFile: AzureFileVolumeSource | None = Field(default=None, description="")
    configMap: ConfigMapVolumeSource | None = Field(default=None, description="")
    vsphereVolume: VsphereVirtualDiskVolumeSource | None = Field(default=None, description="")
    quobyte: QuobyteVolumeSource | None = Field(default=None, description="")
    azureDisk: AzureDiskVolumeSource | None = Field(default=None, description="")
    photonPersistentDisk: PhotonPersistentDiskVolumeSource | None = Field(default=None, description="")
    projected: ProjectedVolumeSource | None = Field(default=None, description="")
    portworxVolume: PortworxVolumeSource | None = Field(default=None, description="")
    scaleIO: ScaleIOVolumeSource | None = Field(default=None, description="")
    storageos: StorageOSVolumeSource | None = Field(default=None, description="")
    csi: CSIVolumeSource | None = Field(default=None, description="")
    ephemeral: EphemeralVolumeSource | None = Field(default=None, description="")
    image: ImageVolumeSource | None = Field(default=None, description="")


class Volume(VolumeSource):
    """."""

    name: Annotated[str, Required()] = Field(default="", description="")
