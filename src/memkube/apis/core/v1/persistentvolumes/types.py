"""PersistentVolumes: storage of the cluster."""

from typing import Annotated

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
    """TODO."""

    endpoints: Annotated[str, Required()] = Field(default="", description="TODO")
    path: Annotated[str, Required()] = Field(default="", description="TODO")
    readOnly: bool = Field(default_factory=False, description="TODO")
    endpointsNamespace: str | None = Field(default=None, description="TODO")


class RBDPersistentVolumeSource(ApiModel):
    """TODO."""

    monitors: Annotated[list[str], Required()] = Field(default_factory=list, description="TODO")
    image: Annotated[str, Required()] = Field(default="", description="TODO")
    fsType: str = Field(default="", description="TODO")
    pool: Annotated[str, Default("rbd")] = Field(default="", description="TODO")
    user: Annotated[str, Default("admin")] = Field(default="", description="TODO")
    keyring: Annotated[str, Default("/etc/ceph/keyring")] = Field(default="", description="TODO")
    secretRef: SecretReference | None = Field(default=None, description="TODO")
    readOnly: bool = Field(default_factory=False, description="TODO")


class ISCSIPersistentVolumeSource(ApiModel):
    """TODO."""

    targetPortal: Annotated[str, Required()] = Field(default="", description="TODO")
    iqn: Annotated[str, Required()] = Field(default="", description="TODO")
    lun: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    iscsiInterface: Annotated[str, Default("default")] = Field(default="", description="TODO")
    fsType: str = Field(default="", description="TODO")
    readOnly: bool = Field(default_factory=False, description="TODO")
    portals: list[str] = Field(default_factory=list, description="TODO")
    chapAuthDiscovery: bool = Field(default_factory=False, description="TODO")
    chapAuthSession: bool = Field(default_factory=False, description="TODO")
    secretRef: SecretReference | None = Field(default=None, description="TODO")
    initiatorName: str | None = Field(default=None, description="TODO")


class CinderPersistentVolumeSource(ApiModel):
    """TODO."""

    volumeID: Annotated[str, Required()] = Field(default="", description="TODO")
    fsType: str = Field(default="", description="TODO")
    readOnly: bool = Field(default_factory=False, description="TODO")
    secretRef: SecretReference | None = Field(default=None, description="TODO")


class CephFSPersistentVolumeSource(ApiModel):
    """TODO."""

    monitors: Annotated[list[str], Required()] = Field(default_factory=list, description="TODO")
    path: str = Field(default="", description="TODO")
    user: str = Field(default="", description="TODO")
    secretFile: str = Field(default="", description="TODO")
    secretRef: SecretReference | None = Field(default=None, description="TODO")
    readOnly: bool = Field(default_factory=False, description="TODO")


class FlexPersistentVolumeSource(ApiModel):
    """TODO."""

    driver: Annotated[str, Required()] = Field(default="", description="TODO")
    fsType: str = Field(default="", description="TODO")
    secretRef: SecretReference | None = Field(default=None, description="TODO")
    readOnly: bool = Field(default_factory=False, description="TODO")
    options: dict[str, str] = Field(default_factory=dict, description="TODO")


class AzureFilePersistentVolumeSource(ApiModel):
    """TODO."""

    secretName: Annotated[str, Required()] = Field(default="", description="TODO")
    shareName: Annotated[str, Required()] = Field(default="", description="TODO")
    readOnly: bool = Field(default_factory=False, description="TODO")
    secretNamespace: Annotated[str | None, Always()] = Field(default=None, description="TODO")


class ScaleIOPersistentVolumeSource(ApiModel):
    """TODO."""

    gateway: Annotated[str, Required()] = Field(default="", description="TODO")
    system: Annotated[str, Required()] = Field(default="", description="TODO")
    secretRef: Annotated[SecretReference | None, Required()] = Field(default=None, description="TODO")
    sslEnabled: bool = Field(default_factory=False, description="TODO")
    protectionDomain: str = Field(default="", description="TODO")
    storagePool: str = Field(default="", description="TODO")
    storageMode: Annotated[str, Default("ThinProvisioned")] = Field(default="", description="TODO")
    volumeName: str = Field(default="", description="TODO")
    fsType: Annotated[str, Default("xfs")] = Field(default="", description="TODO")
    readOnly: bool = Field(default_factory=False, description="TODO")


class LocalVolumeSource(ApiModel):
    """TODO."""

    path: Annotated[str, Required()] = Field(default="", description="TODO")
    fsType: str | None = Field(default=None, description="TODO")


class StorageOSPersistentVolumeSource(ApiModel):
    """TODO."""

    volumeName: str = Field(default="", description="TODO")
    volumeNamespace: str = Field(default="", description="TODO")
    fsType: str = Field(default="", description="TODO")
    readOnly: bool = Field(default_factory=False, description="TODO")
    secretRef: ObjectReference | None = Field(default=None, description="TODO")


class CSIPersistentVolumeSource(ApiModel):
    """TODO."""

    driver: Annotated[str, Required()] = Field(default="", description="TODO")
    volumeHandle: Annotated[str, Required()] = Field(default="", description="TODO")
    readOnly: bool = Field(default_factory=False, description="TODO")
    fsType: str = Field(default="", description="TODO")
    volumeAttributes: dict[str, str] = Field(default_factory=dict, description="TODO")
    controllerPublishSecretRef: SecretReference | None = Field(default=None, description="TODO")
    nodeStageSecretRef: SecretReference | None = Field(default=None, description="TODO")
    nodePublishSecretRef: SecretReference | None = Field(default=None, description="TODO")
    controllerExpandSecretRef: SecretReference | None = Field(default=None, description="TODO")
    nodeExpandSecretRef: SecretReference | None = Field(default=None, description="TODO")


class VolumeNodeAffinity(ApiModel):
    """TODO."""

    required: NodeSelector | None = Field(default=None, description="TODO")


class PersistentVolumeSpec(ApiModel):
    """TODO."""

    capacity: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="TODO")
    gcePersistentDisk: GCEPersistentDiskVolumeSource | None = Field(default=None, description="TODO")
    awsElasticBlockStore: AWSElasticBlockStoreVolumeSource | None = Field(default=None, description="TODO")
    hostPath: HostPathVolumeSource | None = Field(default=None, description="TODO")
    glusterfs: GlusterfsPersistentVolumeSource | None = Field(default=None, description="TODO")
    nfs: NFSVolumeSource | None = Field(default=None, description="TODO")
    rbd: RBDPersistentVolumeSource | None = Field(default=None, description="TODO")
    iscsi: ISCSIPersistentVolumeSource | None = Field(default=None, description="TODO")
    cinder: CinderPersistentVolumeSource | None = Field(default=None, description="TODO")
    cephfs: CephFSPersistentVolumeSource | None = Field(default=None, description="TODO")
    fc: FCVolumeSource | None = Field(default=None, description="TODO")
    flocker: FlockerVolumeSource | None = Field(default=None, description="TODO")
    flexVolume: FlexPersistentVolumeSource | None = Field(default=None, description="TODO")
    azureFile: AzureFilePersistentVolumeSource | None = Field(default=None, description="TODO")
    vsphereVolume: VsphereVirtualDiskVolumeSource | None = Field(default=None, description="TODO")
    quobyte: QuobyteVolumeSource | None = Field(default=None, description="TODO")
    azureDisk: AzureDiskVolumeSource | None = Field(default=None, description="TODO")
    photonPersistentDisk: PhotonPersistentDiskVolumeSource | None = Field(default=None, description="TODO")
    portworxVolume: PortworxVolumeSource | None = Field(default=None, description="TODO")
    scaleIO: ScaleIOPersistentVolumeSource | None = Field(default=None, description="TODO")
    local: LocalVolumeSource | None = Field(default=None, description="TODO")
    storageos: StorageOSPersistentVolumeSource | None = Field(default=None, description="TODO")
    csi: CSIPersistentVolumeSource | None = Field(default=None, description="TODO")
    accessModes: list[
        Annotated[
            str,
            Named(
                "v1.PersistentVolumeAccessMode", ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
            ),
        ]
    ] = Field(default_factory=list, description="TODO")
    claimRef: Annotated[ObjectReference | None, Granular()] = Field(default=None, description="TODO")
    persistentVolumeReclaimPolicy: Annotated[
        str, Named("v1.PersistentVolumeReclaimPolicy", ("Delete", "Recycle", "Retain"))
    ] = Field(default="", description="TODO")
    storageClassName: str = Field(default="", description="TODO")
    mountOptions: list[str] = Field(default_factory=list, description="TODO")
    volumeMode: Annotated[str | None, Named("v1.PersistentVolumeMode", ("Block", "Filesystem"))] = Field(
        default=None, description="TODO"
    )
    nodeAffinity: VolumeNodeAffinity | None = Field(default=None, description="TODO")
    volumeAttributesClassName: str | None = Field(default=None, description="TODO")


class PersistentVolumeStatus(ApiModel):
    """TODO."""

    phase: Annotated[
        str, Named("v1.PersistentVolumePhase", ("Available", "Bound", "Failed", "Pending", "Released"))
    ] = Field(default="", description="TODO")
    message: str = Field(default="", description="TODO")
    reason: str = Field(default="", description="TODO")
    lastPhaseTransitionTime: Time | None = Field(default=None, description="TODO")


class PersistentVolume(ApiObject):
    """TODO."""

    spec: PersistentVolumeSpec = Field(default_factory=PersistentVolumeSpec, description="TODO")
    status: PersistentVolumeStatus = Field(default_factory=PersistentVolumeStatus, description="TODO")
