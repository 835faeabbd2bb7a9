"""API types of volumes and of PersistentVolumeClaim specs."""

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
    """Minimum and maximum amount of storage of a claim."""

    limits: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Maximum size of the volume, under the key storage."
    )
    requests: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Minimum size of the volume, under the key storage."
    )


class PersistentVolumeClaimSpec(ApiModel):
    """Requested storage: amount, access modes, storage class and data source."""

    accessModes: list[
        Annotated[
            str,
            Named(
                "v1.PersistentVolumeAccessMode", ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
            ),
        ]
    ] = Field(default_factory=list, description="Access modes that the volume must support, such as ReadWriteOnce.")
    selector: LabelSelector | None = Field(
        default=None, description="Labels of the PersistentVolumes that the claim may bind."
    )
    resources: VolumeResourceRequirements = Field(
        default_factory=VolumeResourceRequirements, description="Minimum and maximum size of the volume."
    )
    volumeName: str = Field(default="", description="Name of the PersistentVolume to which the claim is bound.")
    storageClassName: str | None = Field(
        default=None, description="Name of the StorageClass; the default class if unset."
    )
    volumeMode: Annotated[str | None, Named("v1.PersistentVolumeMode", ("Block", "Filesystem"))] = Field(
        default=None, description="Mode of the volume: Filesystem for mounts, or Block for a raw device."
    )
    dataSource: TypedLocalObjectReference | None = Field(
        default=None, description="Volume snapshot or claim whose data the new volume gets."
    )
    dataSourceRef: TypedObjectReference | None = Field(
        default=None, description="Object of any kind whose data the new volume gets."
    )
    volumeAttributesClassName: str | None = Field(
        default=None, description="Name of the VolumeAttributesClass whose attributes the volume should have."
    )


class PersistentVolumeClaimTemplate(ApiModel):
    """Template from which a PersistentVolumeClaim is created for a pod."""

    metadata: ObjectMeta = Field(
        default_factory=ObjectMeta, description="Labels and annotations of the claim that is created."
    )
    spec: Annotated[PersistentVolumeClaimSpec, Required()] = Field(
        default_factory=PersistentVolumeClaimSpec,
        description="Amount, access modes and storage class of the requested storage.",
    )


class CSIVolumeSource(ApiModel):
    """An inline volume, which a CSI driver creates when the pod starts."""

    driver: Annotated[str, Required()] = Field(
        default="", description="Name of the CSI driver that creates the volume."
    )
    readOnly: bool | None = Field(default=None, description="True if the volume is mounted read-only.")
    fsType: str | None = Field(default=None, description="File system of the volume, such as ext4.")
    volumeAttributes: dict[str, str] = Field(
        default_factory=dict, description="Attributes of the volume that only the CSI driver interprets."
    )
    nodePublishSecretRef: LocalObjectReference | None = Field(
        default=None, description="Secret in the pod's namespace that the driver gets when it mounts the volume."
    )


class ConfigMapVolumeSource(LocalObjectReference):
    """A volume with a file for each key of a ConfigMap."""

    items: list[KeyToPath] = Field(
        default_factory=list,
        description="Keys of the ConfigMap to write, with their files' paths; if empty, each key becomes a file.",
    )
    defaultMode: Int32 | None = Field(
        default=None, description="Permission bits of files that have no mode of their own; 0644 by default."
    )
    optional: bool | None = Field(default=None, description="True if the config map or its keys may be missing.")


class DownwardAPIVolumeSource(ApiModel):
    """A volume with files that contain fields of the pod, or resource amounts of its containers."""

    items: list[DownwardAPIVolumeFile] = Field(
        default_factory=list,
        description="Files to create, each with the value of one field of the pod, or of a container's resources.",
    )
    defaultMode: Int32 | None = Field(
        default=None, description="Permission bits of files that have no mode of their own; 0644 by default."
    )


class EmptyDirVolumeSource(ApiModel):
    """An initially empty directory that is deleted with the pod."""

    medium: Annotated[str, Named("v1.StorageMedium")] = Field(
        default="", description="Memory for a tmpfs, or empty for the node's default medium."
    )
    sizeLimit: Quantity | None = Field(
        default=None, description="Maximum amount of data in the directory; unlimited by default."
    )


class EphemeralVolumeSource(ApiModel):
    """Template of a PersistentVolumeClaim that is created with the pod and deleted with it."""

    volumeClaimTemplate: PersistentVolumeClaimTemplate | None = Field(
        default=None, description="Labels, annotations and spec of the claim that is created for the pod."
    )


class FCVolumeSource(ApiModel):
    """Fibre Channel volume: target WWNs and LUN, or WWIDs."""

    targetWWNs: list[str] = Field(
        default_factory=list, description="World wide names (WWN) of the Fibre Channel targets."
    )
    lun: Int32 | None = Field(
        default=None, description="Number of the logical unit (LUN) on the Fibre Channel targets."
    )
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")
    wwids: list[str] = Field(default_factory=list, description="World wide identifiers (WWID) of the volume.")


class HostPathVolumeSource(ApiModel):
    """File or directory of the node that is mounted as a volume."""

    path: Annotated[str, Required()] = Field(default="", description="Path of the file or directory on the node.")
    type: Annotated[
        str | None,
        Named(
            "v1.HostPathType",
            ("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"),
        ),
    ] = Field(default=None, description="Required type of the path, such as Directory; empty for no check.")


class ISCSIVolumeSource(ApiModel):
    """iSCSI volume that a pod mounts: target, LUN and initiator."""

    targetPortal: Annotated[str, Required()] = Field(
        default="", description="Portal of the iSCSI target: an IP address, with an optional port."
    )
    iqn: Annotated[str, Required()] = Field(default="", description="iSCSI qualified name (IQN) of the target.")
    lun: Annotated[Int32, Required()] = Field(
        default=0, description="Number of the logical unit (LUN) on the iSCSI target."
    )
    iscsiInterface: Annotated[str, Default("default")] = Field(
        default="", description="iSCSI interface of the node through which to connect."
    )
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")
    portals: list[str] = Field(default_factory=list, description="Additional portals of the iSCSI target.")
    chapAuthDiscovery: bool = Field(
        default=False, description="True if the discovery of iSCSI targets authenticates with CHAP."
    )
    chapAuthSession: bool = Field(default=False, description="True if iSCSI sessions authenticate with CHAP.")
    secretRef: LocalObjectReference | None = Field(
        default=None,
        description="Secret in the pod's namespace with the user names and passwords for CHAP authentication.",
    )
    initiatorName: str | None = Field(default=None, description="iSCSI qualified name (IQN) of the initiator.")


class ImageVolumeSource(ApiModel):
    """A volume with the contents of an OCI image."""

    reference: str = Field(default="", description="Reference of the image in its registry, as for containers.")
    pullPolicy: Annotated[str, Named("v1.PullPolicy", ("Always", "IfNotPresent", "Never"))] = Field(
        default="", description="Pull policy of the image: Always, IfNotPresent or Never."
    )


class NFSVolumeSource(ApiModel):
    """NFS export that a volume mounts: server and path."""

    server: Annotated[str, Required()] = Field(default="", description="Host name or IP address of the NFS server.")
    path: Annotated[str, Required()] = Field(
        default="", description="Path of the directory that the NFS server exports."
    )
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")


class PersistentVolumeClaimVolumeSource(ApiModel):
    """Name of the PersistentVolumeClaim whose volume a pod mounts."""

    claimName: Annotated[str, Required()] = Field(
        default="", description="Name of the PersistentVolumeClaim whose volume is mounted, in the pod's namespace."
    )
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")


class SecretVolumeSource(ApiModel):
    """A volume with a file for each key of a Secret."""

    secretName: str = Field(
        default="", description="Name of the secret whose values the files contain, in the pod's namespace."
    )
    items: list[KeyToPath] = Field(
        default_factory=list,
        description="Keys of the Secret to write, with their files' paths; if empty, each key becomes a file.",
    )
    defaultMode: Int32 | None = Field(
        default=None, description="Permission bits of files that have no mode of their own; 0644 by default."
    )
    optional: bool | None = Field(default=None, description="True if the secret or its keys may be missing.")


class VolumeSource(ApiModel):
    """Storage behind a pod's volume; exactly one field is set."""

    hostPath: HostPathVolumeSource | None = Field(
        default=None, description="File or directory of the node on which the pod runs."
    )
    emptyDir: EmptyDirVolumeSource | None = Field(
        default=None, description="Directory that is empty when the pod starts and deleted with the pod."
    )
    gcePersistentDisk: GCEPersistentDiskVolumeSource | None = Field(
        default=None, description="Deprecated; persistent disk of Google Compute Engine."
    )
    awsElasticBlockStore: AWSElasticBlockStoreVolumeSource | None = Field(
        default=None, description="Deprecated; disk of AWS Elastic Block Store."
    )
    gitRepo: GitRepoVolumeSource | None = Field(
        default=None, description="Deprecated; directory with a clone of a git repository."
    )
    secret: SecretVolumeSource | None = Field(default=None, description="Files with the values of a Secret.")
    nfs: NFSVolumeSource | None = Field(default=None, description="Directory that an NFS server exports.")
    iscsi: ISCSIVolumeSource | None = Field(default=None, description="iSCSI disk that the node mounts.")
    glusterfs: GlusterfsVolumeSource | None = Field(
        default=None, description="Deprecated; volume of a GlusterFS cluster."
    )
    persistentVolumeClaim: PersistentVolumeClaimVolumeSource | None = Field(
        default=None, description="Storage of a PersistentVolumeClaim in the pod's namespace."
    )
    rbd: RBDVolumeSource | None = Field(default=None, description="Deprecated; block device of a Ceph cluster (RBD).")
    flexVolume: FlexVolumeSource | None = Field(
        default=None, description="Deprecated; volume of a FlexVolume driver that is installed on the node."
    )
    cinder: CinderVolumeSource | None = Field(
        default=None, description="Deprecated; block storage volume of OpenStack Cinder."
    )
    cephfs: CephFSVolumeSource | None = Field(default=None, description="Deprecated; directory of a Ceph file system.")
    flocker: FlockerVolumeSource | None = Field(
        default=None, description="Deprecated; dataset of the volume manager Flocker."
    )
    downwardAPI: DownwardAPIVolumeSource | None = Field(
        default=None, description="Files with values of the pod's fields, such as its labels."
    )
    fc: FCVolumeSource | None = Field(default=None, description="Disk that the node reaches over Fibre Channel.")
    azureFile: AzureFileVolumeSource | None = Field(
        default=None, description="Deprecated; SMB file share in Azure Files."
    )
    configMap: ConfigMapVolumeSource | None = Field(default=None, description="Files with the values of a ConfigMap.")
    vsphereVolume: VsphereVirtualDiskVolumeSource | None = Field(
        default=None, description="Deprecated; virtual disk (VMDK) of VMware vSphere."
    )
    quobyte: QuobyteVolumeSource | None = Field(
        default=None, description="Deprecated; volume of a Quobyte storage system."
    )
    azureDisk: AzureDiskVolumeSource | None = Field(
        default=None, description="Deprecated; managed or blob disk in Microsoft Azure."
    )
    photonPersistentDisk: PhotonPersistentDiskVolumeSource | None = Field(
        default=None, description="Deprecated; disk of VMware Photon Controller."
    )
    projected: ProjectedVolumeSource | None = Field(
        default=None, description="Files of several sources in one directory."
    )
    portworxVolume: PortworxVolumeSource | None = Field(
        default=None, description="Deprecated; volume of a Portworx storage cluster."
    )
    scaleIO: ScaleIOVolumeSource | None = Field(
        default=None, description="Deprecated; volume of a ScaleIO storage system."
    )
    storageos: StorageOSVolumeSource | None = Field(
        default=None, description="Deprecated; volume of a StorageOS cluster."
    )
    csi: CSIVolumeSource | None = Field(
        default=None, description="Inline volume that a CSI driver creates with the pod."
    )
    ephemeral: EphemeralVolumeSource | None = Field(
        default=None, description="Volume of a claim that is created and deleted with the pod."
    )
    image: ImageVolumeSource | None = Field(default=None, description="Read-only contents of an OCI image or artifact.")


class NamedVolume(ApiModel):
    """Base class with the field `name`: in the Go struct, it comes before the fields of the volume's source."""

    go_struct: ClassVar[bool] = False

    name: Annotated[str, Required()] = Field(default="", description="Name, unique in the pod; must be a DNS label.")


class Volume(VolumeSource, NamedVolume):
    """A volume that containers of the pod may mount."""
