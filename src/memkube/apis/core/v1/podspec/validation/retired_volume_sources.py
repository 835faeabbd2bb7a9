"""Rules for volume types whose drivers left Kubernetes; manifests still carry them."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported, required
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
    """The repository is named, and its directory is inside the volume."""
    return require(source, ("repository",), path) + validate_descending_path(source.directory, path.child("directory"))


def validate_gce_disk(source: GCEPersistentDiskVolumeSource, path: FieldPath) -> list[FieldError]:
    """The disk is named, and its partition has a number."""
    return require(source, ("pdName",), path) + _validate_partition(source.partition, path.child("partition"))


def validate_aws_disk(source: AWSElasticBlockStoreVolumeSource, path: FieldPath) -> list[FieldError]:
    """The disk is named, and its partition has a number."""
    return require(source, ("volumeID",), path) + _validate_partition(source.partition, path.child("partition"))


def validate_glusterfs(source: GlusterfsVolumeSource, path: FieldPath) -> list[FieldError]:
    """Endpoints and path are told."""
    return require(source, ("endpoints", "path"), path)


def validate_flocker(source: FlockerVolumeSource, path: FieldPath) -> list[FieldError]:
    """The dataset is told by its name or by its UUID."""
    errors: list[FieldError] = []
    if not source.datasetName and not source.datasetUUID:
        errors.append(required(path, "one of datasetName and datasetUUID is required"))
    if source.datasetName and source.datasetUUID:
        errors.append(invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously"))
    if "/" in source.datasetName:
        errors.append(invalid(path.child("datasetName"), source.datasetName, "must not contain '/'"))
    return errors


def validate_rbd(source: RBDVolumeSource, path: FieldPath) -> list[FieldError]:
    """Monitors and image are told."""
    return require(source, ("monitors", "image"), path)


def validate_cinder(source: CinderVolumeSource, path: FieldPath) -> list[FieldError]:
    """The volume is named, and its secret too."""
    return require(source, ("volumeID",), path) + _validate_secret(source, path)


def validate_cephfs(source: CephFSVolumeSource, path: FieldPath) -> list[FieldError]:
    """Monitors are told."""
    return require(source, ("monitors",), path)


def validate_quobyte(source: QuobyteVolumeSource, path: FieldPath) -> list[FieldError]:
    """Registries are addresses with ports, and the volume is named."""
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
    """The driver is named, and its options keep out of Kubernetes' namespaces."""
    errors = require(source, ("driver",), path)
    for option in source.options:
        namespace = f".{option.partition('/')[0].lower()}"
        if namespace.endswith((".kubernetes.io", ".k8s.io")):
            detail = "kubernetes.io and k8s.io namespaces are reserved"
            errors.append(invalid(path.child("options").key(option), option, detail))
    return errors


def validate_azure_file(source: AzureFileVolumeSource, path: FieldPath) -> list[FieldError]:
    """Secret and share are named."""
    return require(source, ("secretName", "shareName"), path)


def validate_vsphere(source: VsphereVirtualDiskVolumeSource, path: FieldPath) -> list[FieldError]:
    """The path is told."""
    return require(source, ("volumePath",), path)


def validate_photon_disk(source: PhotonPersistentDiskVolumeSource, path: FieldPath) -> list[FieldError]:
    """The disk is named."""
    return require(source, ("pdID",), path)


def validate_portworx(source: PortworxVolumeSource, path: FieldPath) -> list[FieldError]:
    """The volume is named."""
    return require(source, ("volumeID",), path)


def validate_azure_disk(source: AzureDiskVolumeSource, path: FieldPath) -> list[FieldError]:
    """Disk and address are told, and the address suits the kind of disk."""
    errors = require(source, ("diskName", "diskURI"), path)
    if source.cachingMode is not None and source.cachingMode not in _CACHING_MODES:
        errors.append(not_supported(path.child("cachingMode"), source.cachingMode, _CACHING_MODES))
    if source.kind is None:
        return errors
    if source.kind not in _DISK_KINDS:
        errors.append(not_supported(path.child("kind"), source.kind, _DISK_KINDS))
    if source.kind == "Managed" and not source.diskURI.startswith("/subscriptions/"):
        errors.append(not_supported(path.child("diskURI"), source.diskURI, (_MANAGED_DISK,)))
    if source.kind != "Managed" and not source.diskURI.startswith("https://"):
        errors.append(not_supported(path.child("diskURI"), source.diskURI, (_BLOB_DISK,)))
    return errors


def validate_storage_os(source: StorageOSVolumeSource, path: FieldPath) -> list[FieldError]:
    """Names are labels of domain names, and the secret is named."""
    return validate_storage_os_names(source, path) + _validate_secret(source, path)


def validate_storage_os_names(source: object, path: FieldPath) -> list[FieldError]:
    """Names of a volume of StorageOS are labels of domain names."""
    errors = require(source, ("volumeName",), path)
    for name in ("volumeName", "volumeNamespace"):
        if value := getattr(source, name):
            errors += validate_dns_label(value, path.child(name))
    return errors


def validate_scale_io(source: ScaleIOVolumeSource, path: FieldPath) -> list[FieldError]:
    """Gateway, system and volume are told."""
    return require(source, ("gateway", "system", "volumeName"), path)


def _validate_secret(source: CinderVolumeSource | StorageOSVolumeSource, path: FieldPath) -> list[FieldError]:
    return [] if source.secretRef is None else require(source.secretRef, ("name",), path.child("secretRef"))


def _validate_partition(partition: int, path: FieldPath) -> list[FieldError]:
    return [] if 0 <= partition <= 255 else [invalid(path, partition, range_error(1, 255))]


def _is_host_and_port(text: str) -> bool:
    """Whether Go's ``net.SplitHostPort`` takes the text."""
    host, colon, port = text.rpartition(":")
    if not colon or "[" in port or "]" in port:
        return False
    if host.startswith("["):
        return host.endswith("]") and not set(host[1:-1]) & {"[", "]"}
    return not set(host) & {":", "[", "]"}
