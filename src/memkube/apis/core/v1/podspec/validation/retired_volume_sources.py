"""Validation of volume types whose drivers were removed from Kubernetes, but which pods may still declare."""

from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    invalid,
    not_supported,
    not_supported_string,
    required,
)
from memkube.apimachinery.names import range_error
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
from memkube.apis.core.v1.podspec.validation.context import require, validate_descending_path, validate_dns_label

_CACHING_MODES: Final = ("None", "ReadOnly", "ReadWrite")
_DISK_KINDS: Final = ("Dedicated", "Managed", "Shared")
_MANAGED_DISK: Final = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
_BLOB_DISK: Final = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
_REGISTRY: Final = "must be a host:port pair or multiple pairs separated by commas"
_TENANT_LIMIT: Final = 64


def validate_git_repo(source: GitRepoVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a gitRepo volume: it has a repository, and its directory is relative."""
    return require(source, ("repository",), path) + validate_descending_path(source.directory, path.child("directory"))


def validate_gce_disk(source: GCEPersistentDiskVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a gcePersistentDisk volume: it has a disk name and a valid partition number."""
    return require(source, ("pdName",), path) + _validate_partition(source.partition, path.child("partition"))


def validate_aws_disk(source: AWSElasticBlockStoreVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate an awsElasticBlockStore volume: it has a volume ID and a valid partition number."""
    return require(source, ("volumeID",), path) + _validate_partition(source.partition, path.child("partition"))


def validate_glusterfs(source: GlusterfsVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a glusterfs volume: it has endpoints and a path."""
    return require(source, ("endpoints", "path"), path)


def validate_flocker(source: FlockerVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a flocker volume: it has either a dataset name or a dataset UUID."""
    errors: list[FieldError] = []
    if not source.datasetName and not source.datasetUUID:
        errors.append(required(path, "one of datasetName and datasetUUID is required"))
    if source.datasetName and source.datasetUUID:
        errors.append(invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously"))
    if "/" in source.datasetName:
        errors.append(invalid(path.child("datasetName"), source.datasetName, "must not contain '/'"))
    return errors


def validate_rbd(source: RBDVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate an rbd volume: it has monitors and an image."""
    return require(source, ("monitors", "image"), path)


def validate_cinder(source: CinderVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a cinder volume: it has a volume ID, and its secret reference, if set, has a name."""
    return require(source, ("volumeID",), path) + _validate_secret(source, path)


def validate_cephfs(source: CephFSVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a cephfs volume: it has monitors."""
    return require(source, ("monitors",), path)


def validate_quobyte(source: QuobyteVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a quobyte volume: its registry is a list of host:port pairs, and it has a volume name."""
    errors: list[FieldError] = []
    if not source.registry:
        errors.append(required(path.child("registry"), _REGISTRY))
    elif len(source.tenant.encode()) > _TENANT_LIMIT:
        detail = "must be a UUID and may not exceed a length of 64 characters"
        errors.append(required(path.child("tenant"), detail))
    else:
        wrong = sum(not _is_host_and_port(pair) for pair in source.registry.split(","))
        errors += [invalid(path.child("registry"), source.registry, _REGISTRY)] * wrong
    return errors + require(source, ("volume",), path)


def validate_flex(source: FlexVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a flexVolume: it has a driver, and its options avoid Kubernetes' reserved namespaces."""
    errors = require(source, ("driver",), path)
    for option in source.options:
        namespace = f".{option.partition('/')[0].lower()}"
        if namespace.endswith((".kubernetes.io", ".k8s.io")):
            detail = "kubernetes.io and k8s.io namespaces are reserved"
            errors.append(invalid(path.child("options").key(option), option, detail))
    return errors


def validate_azure_file(source: AzureFileVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate an azureFile volume: it has a secret name and a share name."""
    return require(source, ("secretName", "shareName"), path)


def validate_vsphere(source: VsphereVirtualDiskVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a vsphereVolume: it has a volume path."""
    return require(source, ("volumePath",), path)


def validate_photon_disk(source: PhotonPersistentDiskVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a photonPersistentDisk volume: it has a disk ID."""
    return require(source, ("pdID",), path)


def validate_portworx(source: PortworxVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a portworxVolume: it has a volume ID."""
    return require(source, ("volumeID",), path)


def validate_azure_disk(source: AzureDiskVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate an azureDisk volume: it has a disk name, and a disk URI whose format fits the kind of the disk."""
    errors = require(source, ("diskName", "diskURI"), path)
    if source.cachingMode is not None and source.cachingMode not in _CACHING_MODES:
        errors.append(not_supported(path.child("cachingMode"), source.cachingMode, _CACHING_MODES))
    if source.kind is None:
        return errors
    if source.kind not in _DISK_KINDS:
        errors.append(not_supported(path.child("kind"), source.kind, _DISK_KINDS))
    if source.kind == "Managed" and not source.diskURI.startswith("/subscriptions/"):
        errors.append(not_supported_string(path.child("diskURI"), source.diskURI, (_MANAGED_DISK,)))
    if source.kind != "Managed" and not source.diskURI.startswith("https://"):
        errors.append(not_supported_string(path.child("diskURI"), source.diskURI, (_BLOB_DISK,)))
    return errors


def validate_storage_os(source: StorageOSVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a storageos volume: its names are DNS labels, and its secret reference, if set, has a name."""
    return validate_storage_os_names(source, path) + _validate_secret(source, path)


def validate_storage_os_names(source: object, path: FieldPath) -> list[FieldError]:
    """Validate that the names of a storageos volume are DNS labels."""
    errors = require(source, ("volumeName",), path)
    for name in ("volumeName", "volumeNamespace"):
        if value := getattr(source, name):
            errors += validate_dns_label(value, path.child(name))
    return errors


def validate_scale_io(source: ScaleIOVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a scaleIO volume: it has a gateway, a system and a volume name."""
    return require(source, ("gateway", "system", "volumeName"), path)


def _validate_secret(source: CinderVolumeSource | StorageOSVolumeSource, path: FieldPath) -> list[FieldError]:
    return [] if source.secretRef is None else require(source.secretRef, ("name",), path.child("secretRef"))


def _validate_partition(partition: int, path: FieldPath) -> list[FieldError]:
    return [] if 0 <= partition <= 255 else [invalid(path, partition, range_error(1, 255))]


def _is_host_and_port(text: str) -> bool:
    """True if Go's ``net.SplitHostPort`` accepts the text."""
    host, colon, port = text.rpartition(":")
    if not colon or "[" in port or "]" in port:
        return False
    if host.startswith("["):
        return host.endswith("]") and not set(host[1:-1]) & {"[", "]"}
    return not set(host) & {":", "[", "]"}
