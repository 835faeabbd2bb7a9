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
    """Spec of a PersistentVolume on Gluster, whose driver Kubernetes has removed."""

    endpoints: Annotated[str, Required()] = Field(
        default="", description="Name of the Endpoints object with the addresses of the Gluster hosts."
    )
    path: Annotated[str, Required()] = Field(default="", description="Name of the Gluster volume to mount.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")
    endpointsNamespace: str | None = Field(
        default=None, description="Namespace of the Endpoints object; the claim's namespace by default."
    )


class RBDPersistentVolumeSource(ApiModel):
    """Ceph block device (RBD) behind a PersistentVolume."""

    monitors: Annotated[list[str], Required()] = Field(
        default_factory=list, description="Addresses of the monitors of the Ceph cluster."
    )
    image: Annotated[str, Required()] = Field(
        default="", description="Name of the RBD image with the data of the volume."
    )
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    pool: Annotated[str, Default("rbd")] = Field(default="", description="Ceph pool that contains the RBD image.")
    user: Annotated[str, Default("admin")] = Field(
        default="", description="Ceph user to authenticate as; admin by default."
    )
    keyring: Annotated[str, Default("/etc/ceph/keyring")] = Field(
        default="", description="Path of the Ceph user's keyring on the node."
    )
    secretRef: SecretReference | None = Field(
        default=None, description="Secret with the key of the Ceph user; takes precedence over keyring."
    )
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")


class ISCSIPersistentVolumeSource(ApiModel):
    """iSCSI volume behind a PersistentVolume: target, LUN and initiator."""

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
    secretRef: SecretReference | None = Field(
        default=None, description="Secret with the user names and passwords for CHAP authentication."
    )
    initiatorName: str | None = Field(default=None, description="iSCSI qualified name (IQN) of the initiator.")


class CinderPersistentVolumeSource(ApiModel):
    """OpenStack Cinder volume behind a PersistentVolume."""

    volumeID: Annotated[str, Required()] = Field(
        default="", description="ID of the existing OpenStack Cinder volume to mount."
    )
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")
    secretRef: SecretReference | None = Field(default=None, description="Secret with the credentials for OpenStack.")


class CephFSPersistentVolumeSource(ApiModel):
    """Ceph file system behind a PersistentVolume."""

    monitors: Annotated[list[str], Required()] = Field(
        default_factory=list, description="Addresses of the monitors of the Ceph cluster."
    )
    path: str = Field(default="", description="Directory of the Ceph file system that is mounted; / by default.")
    user: str = Field(
        default="", description="Name of the Ceph user with whose key the volume is mounted; admin if empty."
    )
    secretFile: str = Field(default="", description="Path of the Ceph user's keyring on the node.")
    secretRef: SecretReference | None = Field(
        default=None, description="Secret with the key of the Ceph user; takes precedence over secretFile."
    )
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")


class FlexPersistentVolumeSource(ApiModel):
    """FlexVolume plugin and options of a PersistentVolume."""

    driver: Annotated[str, Required()] = Field(
        default="", description="Name of the FlexVolume driver, in the form VENDOR/DRIVER."
    )
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    secretRef: SecretReference | None = Field(
        default=None, description="Secret whose values are passed to the FlexVolume driver."
    )
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")
    options: dict[str, str] = Field(
        default_factory=dict, description="Options that are passed to the FlexVolume driver."
    )


class AzureFilePersistentVolumeSource(ApiModel):
    """Azure file share behind a PersistentVolume, with the Secret that grants access."""

    secretName: Annotated[str, Required()] = Field(
        default="", description="Name of the secret with the name and key of the Azure storage account."
    )
    shareName: Annotated[str, Required()] = Field(default="", description="Name of the Azure file share to mount.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")
    secretNamespace: Annotated[str | None, Always()] = Field(
        default=None, description="Namespace of the secret; the pod's namespace by default."
    )


class ScaleIOPersistentVolumeSource(ApiModel):
    """Spec of a PersistentVolume on ScaleIO, whose driver Kubernetes has removed."""

    gateway: Annotated[str, Required()] = Field(
        default="", description="Host address of the gateway that serves the API of ScaleIO."
    )
    system: Annotated[str, Required()] = Field(
        default="", description="Name of the storage system that contains the volume, as configured in ScaleIO."
    )
    secretRef: Annotated[SecretReference | None, Required()] = Field(
        default=None, description="Secret with the credentials of the ScaleIO user."
    )
    sslEnabled: bool = Field(default=False, description="True to connect to the ScaleIO gateway with TLS.")
    protectionDomain: str = Field(
        default="", description="Name of the protection domain in ScaleIO that contains the storage pool."
    )
    storagePool: str = Field(default="", description="Name of the ScaleIO storage pool in the protection domain.")
    storageMode: Annotated[str, Default("ThinProvisioned")] = Field(
        default="", description="Provisioning of the volume's storage: ThickProvisioned or ThinProvisioned."
    )
    volumeName: str = Field(default="", description="Name of the ScaleIO volume to mount.")
    fsType: Annotated[str, Default("xfs")] = Field(default="", description="File system of the volume, such as ext4.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")


class LocalVolumeSource(ApiModel):
    """Disk, partition or directory of one node that is used as a PersistentVolume."""

    path: Annotated[str, Required()] = Field(
        default="", description="Path on the node, of a directory or a block device."
    )
    fsType: str | None = Field(
        default=None, description="File system of a block device, such as ext4; detected by default."
    )


class StorageOSPersistentVolumeSource(ApiModel):
    """Spec of a PersistentVolume on StorageOS, whose driver Kubernetes has removed."""

    volumeName: str = Field(default="", description="Name of the volume in StorageOS, unique in its namespace.")
    volumeNamespace: str = Field(
        default="", description="Namespace of the volume in StorageOS; the pod's namespace by default."
    )
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")
    secretRef: ObjectReference | None = Field(
        default=None, description="Secret with the credentials for the StorageOS API."
    )


class CSIPersistentVolumeSource(ApiModel):
    """CSI driver and volume handle of a PersistentVolume."""

    driver: Annotated[str, Required()] = Field(
        default="", description="Name of the CSI driver that provides the volume."
    )
    volumeHandle: Annotated[str, Required()] = Field(default="", description="ID by which the driver knows the volume.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    volumeAttributes: dict[str, str] = Field(
        default_factory=dict, description="Attributes of the volume that only the CSI driver interprets."
    )
    controllerPublishSecretRef: SecretReference | None = Field(
        default=None,
        description="Secret passed to the CSI driver when it attaches the volume to a node or detaches it.",
    )
    nodeStageSecretRef: SecretReference | None = Field(
        default=None, description="Secret passed to the CSI driver when it stages the volume on a node."
    )
    nodePublishSecretRef: SecretReference | None = Field(
        default=None, description="Secret passed to the CSI driver when it mounts the volume for a pod."
    )
    controllerExpandSecretRef: SecretReference | None = Field(
        default=None, description="Secret passed to the CSI driver when it expands the volume in the storage system."
    )
    nodeExpandSecretRef: SecretReference | None = Field(
        default=None, description="Secret passed to the CSI driver when it expands the volume's file system on a node."
    )


class VolumeNodeAffinity(ApiModel):
    """Required labels of the nodes from which a volume is accessible."""

    required: NodeSelector | None = Field(
        default=None, description="Node selector for the nodes from which the volume is accessible."
    )


class PersistentVolumeSource(ApiModel):
    """Storage behind a PersistentVolume; exactly one field is set."""

    gcePersistentDisk: GCEPersistentDiskVolumeSource | None = Field(
        default=None, description="Deprecated; persistent disk of Google Compute Engine."
    )
    awsElasticBlockStore: AWSElasticBlockStoreVolumeSource | None = Field(
        default=None, description="Deprecated; disk of AWS Elastic Block Store."
    )
    hostPath: HostPathVolumeSource | None = Field(
        default=None, description="Directory of a node, for tests on a single node."
    )
    glusterfs: GlusterfsPersistentVolumeSource | None = Field(
        default=None, description="Deprecated; volume of a GlusterFS cluster."
    )
    nfs: NFSVolumeSource | None = Field(default=None, description="Directory that an NFS server exports.")
    rbd: RBDPersistentVolumeSource | None = Field(
        default=None, description="Deprecated; block device of a Ceph cluster (RBD)."
    )
    iscsi: ISCSIPersistentVolumeSource | None = Field(
        default=None, description="Disk of an iSCSI target, to which the node connects."
    )
    cinder: CinderPersistentVolumeSource | None = Field(
        default=None, description="Deprecated; block storage volume of OpenStack Cinder."
    )
    cephfs: CephFSPersistentVolumeSource | None = Field(
        default=None, description="Deprecated; directory of a Ceph file system."
    )
    fc: FCVolumeSource | None = Field(default=None, description="Disk that the node reaches over Fibre Channel.")
    flocker: FlockerVolumeSource | None = Field(
        default=None, description="Deprecated; dataset of the volume manager Flocker."
    )
    flexVolume: FlexPersistentVolumeSource | None = Field(
        default=None, description="Deprecated; volume of a FlexVolume driver that is installed on the nodes."
    )
    azureFile: AzureFilePersistentVolumeSource | None = Field(
        default=None, description="Deprecated; SMB file share in Azure Files."
    )
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
    portworxVolume: PortworxVolumeSource | None = Field(
        default=None, description="Deprecated; volume of a Portworx storage cluster."
    )
    scaleIO: ScaleIOPersistentVolumeSource | None = Field(
        default=None, description="Deprecated; volume of a ScaleIO storage system."
    )
    local: LocalVolumeSource | None = Field(default=None, description="Storage that is local to one node.")
    storageos: StorageOSPersistentVolumeSource | None = Field(
        default=None, description="Deprecated; volume of a StorageOS cluster."
    )
    csi: CSIPersistentVolumeSource | None = Field(
        default=None, description="Volume that an external CSI driver provides."
    )


class VolumeCapacity(ApiModel):
    """Base class with the field `capacity`: in the Go struct, it comes before the fields of the volume's source."""

    go_struct: ClassVar[bool] = False

    capacity: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Size of the volume, under the key storage."
    )


class PersistentVolumeSpec(PersistentVolumeSource, VolumeCapacity):
    """Capacity, source, access modes and claim of a PersistentVolume."""

    accessModes: list[
        Annotated[
            str,
            Named(
                "v1.PersistentVolumeAccessMode", ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
            ),
        ]
    ] = Field(default_factory=list, description="Access modes of the volume, such as ReadWriteOnce.")
    claimRef: Annotated[ObjectReference | None, Granular()] = Field(
        default=None, description="Claim that the volume is bound to, or reserved for."
    )
    persistentVolumeReclaimPolicy: Annotated[
        str, Named("v1.PersistentVolumeReclaimPolicy", ("Delete", "Recycle", "Retain"))
    ] = Field(default="", description="Action on the volume when its claim is deleted: Retain, Delete or Recycle.")
    storageClassName: str = Field(
        default="", description="Name of the StorageClass to which the volume belongs; empty for none."
    )
    mountOptions: list[str] = Field(
        default_factory=list, description="Options with which the volume is mounted, such as ro."
    )
    volumeMode: Annotated[str | None, Named("v1.PersistentVolumeMode", ("Block", "Filesystem"))] = Field(
        default=None, description="Mode of the volume: Filesystem for mounts, or Block for a raw device."
    )
    nodeAffinity: VolumeNodeAffinity | None = Field(
        default=None, description="Nodes from which the volume is accessible; all by default."
    )
    volumeAttributesClassName: str | None = Field(
        default=None, description="Name of the VolumeAttributesClass whose attributes the volume has."
    )


class PersistentVolumeStatus(ApiModel):
    """Phase of a PersistentVolume, such as Bound, and the reason for it."""

    phase: Annotated[
        str, Named("v1.PersistentVolumePhase", ("Available", "Bound", "Failed", "Pending", "Released"))
    ] = Field(default="", description="Phase of the volume: Pending, Available, Bound, Released or Failed.")
    message: str = Field(default="", description="Human-readable reason for the phase.")
    reason: str = Field(default="", description="Reason for the phase, as one CamelCase word.")
    lastPhaseTransitionTime: Time | None = Field(
        default=None, description="Time when the volume's phase last changed, for example from Available to Bound."
    )


class PersistentVolume(ApiObject):
    """A piece of storage that belongs to the cluster and that one claim can bind."""

    spec: PersistentVolumeSpec = Field(
        default_factory=PersistentVolumeSpec, description="Capacity, source, access modes and claim of the volume."
    )
    status: PersistentVolumeStatus = Field(
        default_factory=PersistentVolumeStatus, description="Phase of the volume, such as Bound, and the reason for it."
    )
