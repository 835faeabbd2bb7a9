"""Volumes of pods, and the claims that they make."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Default, Named, Required
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Quantity
from memkube.apis.core.v1.podspec.types.projections import DownwardAPIVolumeFile, KeyToPath, ProjectedVolumeSource
from memkube.apis.core.v1.podspec.types.retired_volumes import (
    AWSElasticBlockStoreVolumeSource,
    AzureDiskVolumeSource,
    AzureFileVolumeSource,
    CephFSVolumeSource,
    CinderVolumeSource,
    FlexVolumeSource,
    FlockerVolumeSource,
    GCEPersistentDiskVolumeSource,
    GitRepoVolumeSource,
    GlusterfsVolumeSource,
    PhotonPersistentDiskVolumeSource,
    PortworxVolumeSource,
    QuobyteVolumeSource,
    RBDVolumeSource,
    ScaleIOVolumeSource,
    StorageOSVolumeSource,
    VsphereVirtualDiskVolumeSource,
)
from memkube.apis.core.v1.references import LocalObjectReference, TypedLocalObjectReference, TypedObjectReference


class VolumeResourceRequirements(ApiModel):
    """How much storage is asked for."""

    limits: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Most that is wanted."
    )
    requests: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Least that is needed."
    )


class PersistentVolumeClaimSpec(ApiModel):
    """What storage is asked for."""

    accessModes: list[
        Annotated[
            str,
            Named(
                "v1.PersistentVolumeAccessMode", ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
            ),
        ]
    ] = Field(default_factory=list, description="Ways in which the volume is to be used.")
    selector: LabelSelector | None = Field(default=None, description="Volumes to choose from.")
    resources: VolumeResourceRequirements = Field(
        default_factory=VolumeResourceRequirements, description="How much is asked for."
    )
    volumeName: str = Field(default="", description="Volume that the claim is bound to.")
    storageClassName: str | None = Field(default=None, description="Storage class; none for the default.")
    volumeMode: Annotated[str | None, Named("v1.PersistentVolumeMode", ("Block", "Filesystem"))] = Field(
        default=None, description="Filesystem or Block."
    )
    dataSource: TypedLocalObjectReference | None = Field(default=None, description="Snapshot or claim to copy from.")
    dataSourceRef: TypedObjectReference | None = Field(default=None, description="Object to fill the volume from.")
    volumeAttributesClassName: str | None = Field(default=None, description="Class of the volume's attributes.")


class PersistentVolumeClaimTemplate(ApiModel):
    """A claim to be made for a pod."""

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="Labels and annotations of the claim.")
    spec: Annotated[PersistentVolumeClaimSpec, Required()] = Field(
        default_factory=PersistentVolumeClaimSpec, description="What the claim asks for."
    )


class CSIVolumeSource(ApiModel):
    """A volume of a CSI driver that lives as long as the pod."""

    driver: Annotated[str, Required()] = Field(default="", description="Name of the driver.")
    readOnly: bool | None = Field(default=None, description="Whether writing is refused.")
    fsType: str | None = Field(default=None, description="File system of the volume, such as ext4.")
    volumeAttributes: dict[str, str] = Field(default_factory=dict, description="Settings for the driver.")
    nodePublishSecretRef: LocalObjectReference | None = Field(default=None, description="Secret for the driver.")


class ConfigMapVolumeSource(LocalObjectReference):
    """Entries of a config map as files."""

    items: list[KeyToPath] = Field(default_factory=list, description="Entries to show and their paths; all by default.")
    defaultMode: Int32 | None = Field(
        default=None, description="Permission bits of the files, unless they have their own."
    )
    optional: bool | None = Field(default=None, description="Whether the config map or its keys may be missing.")


class DownwardAPIVolumeSource(ApiModel):
    """Fields of the pod as files."""

    items: list[DownwardAPIVolumeFile] = Field(default_factory=list, description="Files.")
    defaultMode: Int32 | None = Field(
        default=None, description="Permission bits of the files, unless they have their own."
    )


class EmptyDirVolumeSource(ApiModel):
    """A directory that lives as long as the pod."""

    medium: Annotated[str, Named("v1.StorageMedium")] = Field(
        default="", description="Memory, or empty for the node's disk."
    )
    sizeLimit: Quantity | None = Field(default=None, description="Most that may be stored.")


class EphemeralVolumeSource(ApiModel):
    """A claim that lives as long as the pod."""

    volumeClaimTemplate: PersistentVolumeClaimTemplate | None = Field(default=None, description="Claim to make.")


class FCVolumeSource(ApiModel):
    """A Fibre Channel volume."""

    targetWWNs: list[str] = Field(default_factory=list, description="World wide names of the targets.")
    lun: Int32 | None = Field(default=None, description="Number of the logical unit.")
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    readOnly: bool = Field(default=False, description="Whether writing is refused.")
    wwids: list[str] = Field(default_factory=list, description="World wide identifiers.")


class HostPathVolumeSource(ApiModel):
    """A path of the node."""

    path: Annotated[str, Required()] = Field(default="", description="Path on the node.")
    type: Annotated[
        str | None,
        Named(
            "v1.HostPathType",
            ("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"),
        ),
    ] = Field(default=None, description="What must be at the path; empty for no check.")


class ISCSIVolumeSource(ApiModel):
    """An iSCSI volume."""

    targetPortal: Annotated[str, Required()] = Field(default="", description="Address of the target.")
    iqn: Annotated[str, Required()] = Field(default="", description="Qualified name of the target.")
    lun: Annotated[Int32, Required()] = Field(default=0, description="Number of the logical unit.")
    iscsiInterface: Annotated[str, Default("default")] = Field(default="", description="Interface to use.")
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    readOnly: bool = Field(default=False, description="Whether writing is refused.")
    portals: list[str] = Field(default_factory=list, description="Further addresses of the target.")
    chapAuthDiscovery: bool = Field(default=False, description="Whether discovery uses CHAP.")
    chapAuthSession: bool = Field(default=False, description="Whether sessions use CHAP.")
    secretRef: LocalObjectReference | None = Field(default=None, description="Secret for CHAP.")
    initiatorName: str | None = Field(default=None, description="Qualified name of the initiator.")


class ImageVolumeSource(ApiModel):
    """The content of an image."""

    reference: str = Field(default="", description="Image to show.")
    pullPolicy: Annotated[str, Named("v1.PullPolicy", ("Always", "IfNotPresent", "Never"))] = Field(
        default="", description="When to pull the image: Always, IfNotPresent or Never."
    )


class NFSVolumeSource(ApiModel):
    """An NFS export."""

    server: Annotated[str, Required()] = Field(default="", description="Host name or address of the server.")
    path: Annotated[str, Required()] = Field(default="", description="Path that the server exports.")
    readOnly: bool = Field(default=False, description="Whether writing is refused.")


class PersistentVolumeClaimVolumeSource(ApiModel):
    """The volume of a claim."""

    claimName: Annotated[str, Required()] = Field(default="", description="Claim in the pod's namespace.")
    readOnly: bool = Field(default=False, description="Whether writing is refused.")


class SecretVolumeSource(ApiModel):
    """Entries of a secret as files."""

    secretName: str = Field(default="", description="Name of the secret.")
    items: list[KeyToPath] = Field(default_factory=list, description="Entries to show and their paths; all by default.")
    defaultMode: Int32 | None = Field(
        default=None, description="Permission bits of the files, unless they have their own."
    )
    optional: bool | None = Field(default=None, description="Whether the secret or its keys may be missing.")


class VolumeSource(ApiModel):
    """Where a volume's content is; one of the fields is set."""

    hostPath: HostPathVolumeSource | None = Field(default=None, description="Path of the node.")
    emptyDir: EmptyDirVolumeSource | None = Field(default=None, description="Directory that lives as long as the pod.")
    gcePersistentDisk: GCEPersistentDiskVolumeSource | None = Field(default=None, description="Deprecated; GCE disk.")
    awsElasticBlockStore: AWSElasticBlockStoreVolumeSource | None = Field(
        default=None, description="Deprecated; AWS disk."
    )
    gitRepo: GitRepoVolumeSource | None = Field(default=None, description="Deprecated; git repository.")
    secret: SecretVolumeSource | None = Field(default=None, description="Entries of a secret.")
    nfs: NFSVolumeSource | None = Field(default=None, description="NFS export.")
    iscsi: ISCSIVolumeSource | None = Field(default=None, description="iSCSI volume.")
    glusterfs: GlusterfsVolumeSource | None = Field(default=None, description="Deprecated; Gluster volume.")
    persistentVolumeClaim: PersistentVolumeClaimVolumeSource | None = Field(
        default=None, description="Volume of a claim."
    )
    rbd: RBDVolumeSource | None = Field(default=None, description="Deprecated; Ceph block device.")
    flexVolume: FlexVolumeSource | None = Field(default=None, description="Deprecated; volume of a plugin.")
    cinder: CinderVolumeSource | None = Field(default=None, description="Deprecated; OpenStack volume.")
    cephfs: CephFSVolumeSource | None = Field(default=None, description="Deprecated; Ceph file system.")
    flocker: FlockerVolumeSource | None = Field(default=None, description="Deprecated; Flocker volume.")
    downwardAPI: DownwardAPIVolumeSource | None = Field(default=None, description="Fields of the pod.")
    fc: FCVolumeSource | None = Field(default=None, description="Fibre Channel volume.")
    azureFile: AzureFileVolumeSource | None = Field(default=None, description="Deprecated; Azure file share.")
    configMap: ConfigMapVolumeSource | None = Field(default=None, description="Entries of a config map.")
    vsphereVolume: VsphereVirtualDiskVolumeSource | None = Field(
        default=None, description="Deprecated; vSphere volume."
    )
    quobyte: QuobyteVolumeSource | None = Field(default=None, description="Deprecated; Quobyte volume.")
    azureDisk: AzureDiskVolumeSource | None = Field(default=None, description="Deprecated; Azure disk.")
    photonPersistentDisk: PhotonPersistentDiskVolumeSource | None = Field(
        default=None, description="Deprecated; Photon disk."
    )
    projected: ProjectedVolumeSource | None = Field(default=None, description="Several sources in one directory.")
    portworxVolume: PortworxVolumeSource | None = Field(default=None, description="Deprecated; Portworx volume.")
    scaleIO: ScaleIOVolumeSource | None = Field(default=None, description="Deprecated; ScaleIO volume.")
    storageos: StorageOSVolumeSource | None = Field(default=None, description="Deprecated; StorageOS volume.")
    csi: CSIVolumeSource | None = Field(default=None, description="Volume of a CSI driver.")
    ephemeral: EphemeralVolumeSource | None = Field(default=None, description="Claim that lives as long as the pod.")
    image: ImageVolumeSource | None = Field(default=None, description="Content of an image.")


class NamedVolume(ApiModel):
    """Puts the name of a volume before its source."""

    go_struct: ClassVar[bool] = False

    name: Annotated[str, Required()] = Field(default="", description="Name, unique in the pod; a DNS label.")


class Volume(VolumeSource, NamedVolume):
    """A volume that containers of the pod may mount."""
