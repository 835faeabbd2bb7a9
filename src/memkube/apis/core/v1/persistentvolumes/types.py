"""PersistentVolumes: storage of the cluster."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, Granular, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Quantity, Time
from memkube.apis.core.v1.podspec.types.retired_volumes import (
    AWSElasticBlockStoreVolumeSource,
    AzureDiskVolumeSource,
    FlockerVolumeSource,
    GCEPersistentDiskVolumeSource,
    PhotonPersistentDiskVolumeSource,
    PortworxVolumeSource,
    QuobyteVolumeSource,
    VsphereVirtualDiskVolumeSource,
)
from memkube.apis.core.v1.podspec.types.scheduling import NodeSelector
from memkube.apis.core.v1.podspec.types.volumes import FCVolumeSource, HostPathVolumeSource, NFSVolumeSource
from memkube.apis.core.v1.references import ObjectReference, SecretReference


class GlusterfsPersistentVolumeSource(ApiModel):
    """A Gluster volume."""

    endpoints: Annotated[str, Required()] = Field(default="", description="Endpoints of the Gluster hosts.")
    path: Annotated[str, Required()] = Field(default="", description="Name of the volume.")
    readOnly: bool = Field(default=False, description="Whether writing is refused.")
    endpointsNamespace: str | None = Field(
        default=None, description="Namespace of the endpoints; that of the claim by default."
    )


class RBDPersistentVolumeSource(ApiModel):
    """A Ceph block device."""

    monitors: Annotated[list[str], Required()] = Field(
        default_factory=list, description="Addresses of the Ceph monitors."
    )
    image: Annotated[str, Required()] = Field(default="", description="Name of the image.")
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    pool: Annotated[str, Default("rbd")] = Field(default="", description="Pool of the image.")
    user: Annotated[str, Default("admin")] = Field(default="", description="User to connect as.")
    keyring: Annotated[str, Default("/etc/ceph/keyring")] = Field(default="", description="Path of the user's keyring.")
    secretRef: SecretReference | None = Field(default=None, description="Secret to authenticate with.")
    readOnly: bool = Field(default=False, description="Whether writing is refused.")


class ISCSIPersistentVolumeSource(ApiModel):
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
    secretRef: SecretReference | None = Field(default=None, description="Secret for CHAP.")
    initiatorName: str | None = Field(default=None, description="Qualified name of the initiator.")


class CinderPersistentVolumeSource(ApiModel):
    """An OpenStack volume."""

    volumeID: Annotated[str, Required()] = Field(default="", description="Identifier of the volume.")
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    readOnly: bool = Field(default=False, description="Whether writing is refused.")
    secretRef: SecretReference | None = Field(default=None, description="Secret to authenticate with.")


class CephFSPersistentVolumeSource(ApiModel):
    """A Ceph file system."""

    monitors: Annotated[list[str], Required()] = Field(
        default_factory=list, description="Addresses of the Ceph monitors."
    )
    path: str = Field(default="", description="Path to mount; the root by default.")
    user: str = Field(default="", description="User to connect as.")
    secretFile: str = Field(default="", description="Path of the user's keyring.")
    secretRef: SecretReference | None = Field(default=None, description="Secret to authenticate with.")
    readOnly: bool = Field(default=False, description="Whether writing is refused.")


class FlexPersistentVolumeSource(ApiModel):
    """A volume of a plugin."""

    driver: Annotated[str, Required()] = Field(default="", description="Name of the plugin's driver.")
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    secretRef: SecretReference | None = Field(default=None, description="Secret to authenticate with.")
    readOnly: bool = Field(default=False, description="Whether writing is refused.")
    options: dict[str, str] = Field(default_factory=dict, description="Settings for the driver.")


class AzureFilePersistentVolumeSource(ApiModel):
    """An Azure file share."""

    secretName: Annotated[str, Required()] = Field(default="", description="Secret with the account's name and key.")
    shareName: Annotated[str, Required()] = Field(default="", description="Name of the share.")
    readOnly: bool = Field(default=False, description="Whether writing is refused.")
    secretNamespace: Annotated[str | None, Always()] = Field(
        default=None, description="Namespace of the secret; that of the pod by default."
    )


class ScaleIOPersistentVolumeSource(ApiModel):
    """A ScaleIO volume."""

    gateway: Annotated[str, Required()] = Field(default="", description="Address of the gateway.")
    system: Annotated[str, Required()] = Field(default="", description="Name of the storage system.")
    secretRef: Annotated[SecretReference | None, Required()] = Field(
        default=None, description="Secret to authenticate with."
    )
    sslEnabled: bool = Field(default=False, description="Whether to use TLS.")
    protectionDomain: str = Field(default="", description="Name of the protection domain.")
    storagePool: str = Field(default="", description="Storage pool of the domain.")
    storageMode: Annotated[str, Default("ThinProvisioned")] = Field(
        default="", description="ThickProvisioned or ThinProvisioned."
    )
    volumeName: str = Field(default="", description="Name of the volume.")
    fsType: Annotated[str, Default("xfs")] = Field(default="", description="File system of the volume, such as ext4.")
    readOnly: bool = Field(default=False, description="Whether writing is refused.")


class LocalVolumeSource(ApiModel):
    """Storage that is attached to one node."""

    path: Annotated[str, Required()] = Field(
        default="", description="Path on the node, of a directory or a block device."
    )
    fsType: str | None = Field(
        default=None, description="File system of a block device, such as ext4; detected by default."
    )


class StorageOSPersistentVolumeSource(ApiModel):
    """A StorageOS volume."""

    volumeName: str = Field(default="", description="Name of the volume.")
    volumeNamespace: str = Field(default="", description="Namespace of the volume in StorageOS.")
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    readOnly: bool = Field(default=False, description="Whether writing is refused.")
    secretRef: ObjectReference | None = Field(default=None, description="Secret to authenticate with.")


class CSIPersistentVolumeSource(ApiModel):
    """A volume of a CSI driver."""

    driver: Annotated[str, Required()] = Field(default="", description="Name of the driver.")
    volumeHandle: Annotated[str, Required()] = Field(
        default="", description="Name by which the driver knows the volume."
    )
    readOnly: bool = Field(default=False, description="Whether writing is refused.")
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    volumeAttributes: dict[str, str] = Field(default_factory=dict, description="Settings for the driver.")
    controllerPublishSecretRef: SecretReference | None = Field(
        default=None, description="Secret for attaching and detaching."
    )
    nodeStageSecretRef: SecretReference | None = Field(default=None, description="Secret for staging on a node.")
    nodePublishSecretRef: SecretReference | None = Field(default=None, description="Secret for mounting into a pod.")
    controllerExpandSecretRef: SecretReference | None = Field(
        default=None, description="Secret for growing the volume in the storage."
    )
    nodeExpandSecretRef: SecretReference | None = Field(
        default=None, description="Secret for growing the file system on a node."
    )


class VolumeNodeAffinity(ApiModel):
    """Which nodes can reach a volume."""

    required: NodeSelector | None = Field(default=None, description="Nodes that can.")


class PersistentVolumeSource(ApiModel):
    """Where a volume's content is; one of the fields is set."""

    gcePersistentDisk: GCEPersistentDiskVolumeSource | None = Field(default=None, description="GCE disk; deprecated.")
    awsElasticBlockStore: AWSElasticBlockStoreVolumeSource | None = Field(
        default=None, description="AWS disk; deprecated."
    )
    hostPath: HostPathVolumeSource | None = Field(
        default=None, description="Path of a node, for trials on a single node."
    )
    glusterfs: GlusterfsPersistentVolumeSource | None = Field(default=None, description="Gluster volume; deprecated.")
    nfs: NFSVolumeSource | None = Field(default=None, description="NFS export.")
    rbd: RBDPersistentVolumeSource | None = Field(default=None, description="Ceph block device; deprecated.")
    iscsi: ISCSIPersistentVolumeSource | None = Field(default=None, description="iSCSI volume.")
    cinder: CinderPersistentVolumeSource | None = Field(default=None, description="OpenStack volume; deprecated.")
    cephfs: CephFSPersistentVolumeSource | None = Field(default=None, description="Ceph file system; deprecated.")
    fc: FCVolumeSource | None = Field(default=None, description="Fibre Channel volume.")
    flocker: FlockerVolumeSource | None = Field(default=None, description="Flocker volume; deprecated.")
    flexVolume: FlexPersistentVolumeSource | None = Field(default=None, description="Volume of a plugin; deprecated.")
    azureFile: AzureFilePersistentVolumeSource | None = Field(default=None, description="Azure file share; deprecated.")
    vsphereVolume: VsphereVirtualDiskVolumeSource | None = Field(
        default=None, description="vSphere volume; deprecated."
    )
    quobyte: QuobyteVolumeSource | None = Field(default=None, description="Quobyte volume; deprecated.")
    azureDisk: AzureDiskVolumeSource | None = Field(default=None, description="Azure disk; deprecated.")
    photonPersistentDisk: PhotonPersistentDiskVolumeSource | None = Field(
        default=None, description="Photon disk; deprecated."
    )
    portworxVolume: PortworxVolumeSource | None = Field(default=None, description="Portworx volume; deprecated.")
    scaleIO: ScaleIOPersistentVolumeSource | None = Field(default=None, description="ScaleIO volume; deprecated.")
    local: LocalVolumeSource | None = Field(default=None, description="Storage that is attached to one node.")
    storageos: StorageOSPersistentVolumeSource | None = Field(default=None, description="StorageOS volume; deprecated.")
    csi: CSIPersistentVolumeSource | None = Field(default=None, description="Volume of a CSI driver.")


class VolumeCapacity(ApiModel):
    """Puts the size of a volume before its source."""

    go_struct: ClassVar[bool] = False

    capacity: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="How large the volume is."
    )


class PersistentVolumeSpec(PersistentVolumeSource, VolumeCapacity):
    """What a volume is, and who may use it."""

    accessModes: list[
        Annotated[
            str,
            Named(
                "v1.PersistentVolumeAccessMode", ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
            ),
        ]
    ] = Field(default_factory=list, description="Ways in which the volume can be used.")
    claimRef: Annotated[ObjectReference | None, Granular()] = Field(
        default=None, description="Claim that the volume is bound to, or set aside for."
    )
    persistentVolumeReclaimPolicy: Annotated[
        str, Named("v1.PersistentVolumeReclaimPolicy", ("Delete", "Recycle", "Retain"))
    ] = Field(default="", description="What becomes of the volume when its claim is gone: Retain, Delete or Recycle.")
    storageClassName: str = Field(default="", description="Storage class; empty for none.")
    mountOptions: list[str] = Field(default_factory=list, description="Options of mounts, such as ro.")
    volumeMode: Annotated[str | None, Named("v1.PersistentVolumeMode", ("Block", "Filesystem"))] = Field(
        default=None, description="Filesystem or Block."
    )
    nodeAffinity: VolumeNodeAffinity | None = Field(
        default=None, description="Nodes that can reach the volume; all by default."
    )
    volumeAttributesClassName: str | None = Field(default=None, description="Class of the volume's attributes.")


class PersistentVolumeStatus(ApiModel):
    """What came of the volume."""

    phase: Annotated[
        str, Named("v1.PersistentVolumePhase", ("Available", "Bound", "Failed", "Pending", "Released"))
    ] = Field(default="", description="Pending, Available, Bound, Released or Failed.")
    message: str = Field(default="", description="Why it is so, for people.")
    reason: str = Field(default="", description="Why it is so, for programs.")
    lastPhaseTransitionTime: Time | None = Field(default=None, description="When the phase last changed.")


class PersistentVolume(ApiObject):
    """Storage of the cluster."""

    spec: PersistentVolumeSpec = Field(
        default_factory=PersistentVolumeSpec, description="What the volume is, and who may use it."
    )
    status: PersistentVolumeStatus = Field(
        default_factory=PersistentVolumeStatus, description="What came of the volume."
    )
