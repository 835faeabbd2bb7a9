"""API types of deprecated volumes. For most of them, Kubernetes uses a CSI driver or has removed the driver."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Default, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32
from memkube.apis.core.v1.references import LocalObjectReference


class GCEPersistentDiskVolumeSource(ApiModel):
    """Volume on a Google Compute Engine disk. Deprecated: the CSI driver pd.csi.storage.gke.io provides it."""

    pdName: Annotated[str, Required()] = Field(
        default="", description="Name of the persistent disk in Google Compute Engine."
    )
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    partition: Int32 = Field(default=0, description="Partition to mount; 0 for the whole disk.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")


class AWSElasticBlockStoreVolumeSource(ApiModel):
    """Volume on an AWS Elastic Block Store disk. Deprecated: the CSI driver ebs.csi.aws.com provides it."""

    volumeID: Annotated[str, Required()] = Field(
        default="", description="ID of the existing AWS disk to mount, such as vol-0a1b2c3d4e5f67890."
    )
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    partition: Int32 = Field(default=0, description="Partition to mount; 0 for the whole disk.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")


class GitRepoVolumeSource(ApiModel):
    """Volume that contains a clone of a git repository."""

    repository: Annotated[str, Required()] = Field(default="", description="URL of the git repository to clone.")
    revision: str = Field(default="", description="Commit to check out; that of the default branch if empty.")
    directory: str = Field(
        default="", description="Directory of the volume to clone into; a dot for the root of the volume."
    )


class GlusterfsVolumeSource(ApiModel):
    """Volume in the storage system Gluster. Pods may declare it, but Kubernetes has removed its driver."""

    endpoints: Annotated[str, Required()] = Field(
        default="", description="Name of the Endpoints object with the addresses of the Gluster hosts."
    )
    path: Annotated[str, Required()] = Field(default="", description="Name of the Gluster volume to mount.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")


class RBDVolumeSource(ApiModel):
    """Volume on a Ceph block device (RBD). Pods may declare it, but Kubernetes has removed its driver."""

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
    secretRef: LocalObjectReference | None = Field(
        default=None, description="Secret with the key of the Ceph user; takes precedence over keyring."
    )
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")


class FlexVolumeSource(ApiModel):
    """FlexVolume plugin and options of a volume that a pod mounts."""

    driver: Annotated[str, Required()] = Field(
        default="", description="Name of the FlexVolume driver, in the form VENDOR/DRIVER."
    )
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    secretRef: LocalObjectReference | None = Field(
        default=None, description="Secret whose values are passed to the FlexVolume driver."
    )
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")
    options: dict[str, str] = Field(
        default_factory=dict, description="Options that are passed to the FlexVolume driver."
    )


class CinderVolumeSource(ApiModel):
    """Volume in OpenStack Cinder. Deprecated: the CSI driver cinder.csi.openstack.org provides it."""

    volumeID: Annotated[str, Required()] = Field(
        default="", description="ID of the existing OpenStack Cinder volume to mount."
    )
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")
    secretRef: LocalObjectReference | None = Field(
        default=None, description="Secret with the credentials for OpenStack."
    )


class CephFSVolumeSource(ApiModel):
    """Volume in a Ceph file system. Pods may declare it, but Kubernetes has removed its driver."""

    monitors: Annotated[list[str], Required()] = Field(
        default_factory=list, description="Addresses of the monitors of the Ceph cluster."
    )
    path: str = Field(default="", description="Directory of the Ceph file system that is mounted; / by default.")
    user: str = Field(
        default="", description="Name of the Ceph user with whose key the volume is mounted; admin if empty."
    )
    secretFile: str = Field(default="", description="Path of the Ceph user's keyring on the node.")
    secretRef: LocalObjectReference | None = Field(
        default=None, description="Secret with the key of the Ceph user; takes precedence over secretFile."
    )
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")


class FlockerVolumeSource(ApiModel):
    """Volume in the storage system Flocker. Pods may declare it, but Kubernetes has removed its driver."""

    datasetName: str = Field(
        default="", description="Deprecated in favour of datasetUUID; name of the dataset in Flocker."
    )
    datasetUUID: str = Field(default="", description="UUID of the Flocker dataset with the data of the volume.")


class AzureFileVolumeSource(ApiModel):
    """Volume in an Azure file share. Deprecated: the CSI driver file.csi.azure.com provides it."""

    secretName: Annotated[str, Required()] = Field(
        default="", description="Secret in the pod's namespace with the name and key of the Azure storage account."
    )
    shareName: Annotated[str, Required()] = Field(default="", description="Name of the Azure file share to mount.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")


class VsphereVirtualDiskVolumeSource(ApiModel):
    """Volume on a vSphere disk. Deprecated: the CSI driver csi.vsphere.vmware.com provides it."""

    volumePath: Annotated[str, Required()] = Field(
        default="", description="Path of the virtual disk (VMDK) in vSphere, with its datastore."
    )
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    storagePolicyName: str = Field(default="", description="Name of the vSphere storage policy of the disk.")
    storagePolicyID: str = Field(
        default="", description="ID of the vSphere storage policy with the given storagePolicyName."
    )


class QuobyteVolumeSource(ApiModel):
    """Volume in the storage system Quobyte. Pods may declare it, but Kubernetes has removed its driver."""

    registry: Annotated[str, Required()] = Field(
        default="", description="Quobyte registry, as host:port pairs separated by commas."
    )
    volume: Annotated[str, Required()] = Field(default="", description="Name of the existing volume in Quobyte.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")
    user: str = Field(default="", description="Quobyte user as which pods access the volume.")
    group: str = Field(default="", description="Quobyte group as which pods access the volume.")
    tenant: str = Field(
        default="", description="Name of the Quobyte tenant that owns the volume, if it was provisioned dynamically."
    )


class AzureDiskVolumeSource(ApiModel):
    """Volume on an Azure disk. Deprecated: the CSI driver disk.csi.azure.com provides it."""

    diskName: Annotated[str, Required()] = Field(
        default="", description="Name of the Azure disk to mount, or of the blob that contains it."
    )
    diskURI: Annotated[str, Required()] = Field(
        default="", description="Resource ID of the managed disk, or URL of the blob, in Azure."
    )
    cachingMode: Annotated[
        str | None, Named("v1.AzureDataDiskCachingMode", ("None", "ReadOnly", "ReadWrite")), Default("ReadWrite")
    ] = Field(default=None, description="Host caching of the disk: None, ReadOnly or ReadWrite.")
    fsType: Annotated[str | None, Default("ext4")] = Field(
        default=None, description="File system of the volume, such as ext4."
    )
    readOnly: Annotated[bool | None, Default(False)] = Field(
        default=None, description="True if the volume is mounted read-only."
    )
    kind: Annotated[
        str | None, Named("v1.AzureDataDiskKind", ("Dedicated", "Managed", "Shared")), Default("Shared")
    ] = Field(default=None, description="Kind of disk: Managed, or a blob in a Shared or Dedicated storage account.")


class PhotonPersistentDiskVolumeSource(ApiModel):
    """Volume on a disk of the Photon Controller. Pods may declare it, but Kubernetes has removed its driver."""

    pdID: Annotated[str, Required()] = Field(
        default="", description="ID of the existing Photon Controller disk to mount."
    )
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")


class PortworxVolumeSource(ApiModel):
    """Volume in the storage system Portworx. Deprecated: the CSI driver pxd.portworx.com provides it."""

    volumeID: Annotated[str, Required()] = Field(default="", description="ID of the existing Portworx volume to mount.")
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")


class ScaleIOVolumeSource(ApiModel):
    """Volume in the storage system ScaleIO. Pods may declare it, but Kubernetes has removed its driver."""

    gateway: Annotated[str, Required()] = Field(
        default="", description="Host address of the gateway that serves the API of ScaleIO."
    )
    system: Annotated[str, Required()] = Field(
        default="", description="Name under which the storage system is configured in ScaleIO."
    )
    secretRef: Annotated[LocalObjectReference | None, Required()] = Field(
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


class StorageOSVolumeSource(ApiModel):
    """Volume in the storage system StorageOS. Pods may declare it, but Kubernetes has removed its driver."""

    volumeName: str = Field(default="", description="Name of the volume in StorageOS, unique in its namespace.")
    volumeNamespace: str = Field(
        default="", description="Namespace of the volume in StorageOS; the pod's namespace by default."
    )
    fsType: str = Field(default="", description="File system of the volume, such as ext4.")
    readOnly: bool = Field(default=False, description="True if the volume is mounted read-only.")
    secretRef: LocalObjectReference | None = Field(
        default=None, description="Secret with the credentials for the StorageOS API."
    )
