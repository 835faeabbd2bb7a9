"""Validation of current (not retired) volume sources, including projected sources."""

import re
from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from memkube.apimachinery.names import is_dns1123_subdomain, range_error, subdomain_name
from memkube.apis.core.v1.podspec.types.projections import (
    ConfigMapProjection,
    DownwardAPIVolumeFile,
    KeyToPath,
    ProjectedVolumeSource,
    SecretProjection,
    ServiceAccountTokenProjection,
    VolumeProjection,
)
from memkube.apis.core.v1.podspec.types.volumes import (
    ConfigMapVolumeSource,
    CSIVolumeSource,
    DownwardAPIVolumeSource,
    EmptyDirVolumeSource,
    FCVolumeSource,
    HostPathVolumeSource,
    ISCSIVolumeSource,
    NFSVolumeSource,
    PersistentVolumeClaimVolumeSource,
    SecretVolumeSource,
)
from memkube.apis.core.v1.podspec.validation.context import (
    require,
    validate_file_mode,
    validate_local_path,
    validate_no_backsteps,
)
from memkube.apis.core.v1.podspec.validation.env import validate_field_selector, validate_resource_selector

_HOST_PATH_TYPES: Final = (
    "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket",
)  # fmt: skip
_FIELD_PATHS: Final = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)
_INITIATORS: Final = {
    "iqn": re.compile(r"iqn\.\d{4}-\d{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\s]+)\Z", re.ASCII),
    "eui": re.compile(r"\Aeui.[A-Za-z0-9]{16}\Z"),
    "naa": re.compile(r"\Anaa.[A-Za-z0-9]{32}\Z"),
}
WRONG_FORMAT: Final = "must be valid format"
_UNKNOWN_FORMAT: Final = "must be valid format starting with iqn, eui, or naa"
_DRIVER_LIMIT: Final = 63
_SHORTEST_TOKEN: Final = 10 * 60
_LONGEST_TOKEN: Final = 2**32
_CONFLICT: Final = "conflicting duplicate paths"


def validate_empty_dir(source: EmptyDirVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate an emptyDir volume: its size limit is not negative."""
    if source.sizeLimit is None or source.sizeLimit.nano >= 0:
        return []
    return [forbidden(path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity")]


def validate_host_path(source: HostPathVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a hostPath volume: its path has no ``..`` element, and its type is known."""
    if not source.path:
        return [required(path.child("path"))]
    errors = validate_no_backsteps(source.path, path.child("path"))
    if source.type is not None and source.type not in _HOST_PATH_TYPES:
        errors.append(not_supported(path.child("type"), source.type, _HOST_PATH_TYPES))
    return errors


def validate_secret(source: SecretVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a secret volume: it has a secret name and valid items."""
    errors = require(source, ("secretName",), path) + validate_file_mode(source.defaultMode, path.child("defaultMode"))
    return errors + validate_keys(source.items, path.child("items"))


def validate_config_map(source: ConfigMapVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a configMap volume: it has a name and valid items."""
    errors = require(source, ("name",), path) + validate_file_mode(source.defaultMode, path.child("defaultMode"))
    return errors + validate_keys(source.items, path.child("items"))


def validate_keys(items: Sequence[KeyToPath], path: FieldPath) -> list[FieldError]:
    """Validate the items of a configMap or secret volume: each has a key and a relative path."""
    errors: list[FieldError] = []
    for index, item in enumerate(items):
        errors += validate_key(item, path.item(index))
    return errors


def validate_key(item: KeyToPath, path: FieldPath) -> list[FieldError]:
    """Validate an item of a configMap or secret volume: it has a key and a relative path."""
    errors = require(item, ("key", "path"), path) + validate_local_path(item.path, path.child("path"))
    return errors + validate_file_mode(item.mode, path.child("mode"))


def validate_downward_api(source: DownwardAPIVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a downwardAPI volume.

    As in kube-apiserver, errors do not say which file of the volume they are about.
    """
    errors = validate_file_mode(source.defaultMode, path.child("defaultMode"))
    for file in source.items:
        errors += validate_downward_file(file, path)
    return errors


def validate_downward_file(file: DownwardAPIVolumeFile, path: FieldPath) -> list[FieldError]:
    """Validate a downward API file: it has either a field of the pod or a resource of a container."""
    errors = require(file, ("path",), path) + validate_local_path(file.path, path.child("path"))
    if file.fieldRef is not None:
        errors += validate_field_selector(file.fieldRef, _FIELD_PATHS, path.child("fieldRef"))
        if file.resourceFieldRef is not None:
            detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
            errors.append(invalid(path, "resource", detail))
    elif file.resourceFieldRef is not None:
        errors += validate_resource_selector(file.resourceFieldRef, path.child("resourceFieldRef"), of_volume=True)
    else:
        errors.append(required(path, "one of fieldRef and resourceFieldRef is required"))
    return errors + validate_file_mode(file.mode, path.child("mode"))


def validate_claim_reference(source: PersistentVolumeClaimVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a persistentVolumeClaim volume: it has a claim name."""
    return require(source, ("claimName",), path)


def validate_nfs(source: NFSVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate an nfs volume: it has a server and an absolute path."""
    errors = require(source, ("server", "path"), path)
    if not source.path.startswith("/"):
        errors.append(invalid(path.child("path"), source.path, "must be an absolute path"))
    return errors


def validate_iscsi(source: ISCSIVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate an iscsi volume: target and initiator names have valid formats."""
    errors = require(source, ("targetPortal", "iqn"), path)
    if source.iqn:
        errors += validate_initiator(source.iqn, path.child("iqn"))
    if not 0 <= source.lun <= 255:
        errors.append(invalid(path.child("lun"), source.lun, range_error(0, 255)))
    if (source.chapAuthDiscovery or source.chapAuthSession) and source.secretRef is None:
        errors.append(required(path.child("secretRef")))
    if source.initiatorName is not None:
        errors += validate_initiator(source.initiatorName, path.child("initiatorname"))
    return errors


def validate_fibre_channel(source: FCVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate an fc volume: it has either targetWWNs with a LUN, or wwids."""
    errors: list[FieldError] = []
    if not source.targetWWNs and not source.wwids:
        errors.append(required(path.child("targetWWNs"), "must specify either targetWWNs or wwids, but not both"))
    if source.targetWWNs and source.wwids:
        detail = "targetWWNs and wwids can not be specified simultaneously"
        errors.append(invalid(path.child("targetWWNs"), source.targetWWNs, detail))
    if source.targetWWNs:
        if source.lun is None:
            errors.append(required(path.child("lun"), "lun is required if targetWWNs is specified"))
        elif not 0 <= source.lun <= 255:
            errors.append(invalid(path.child("lun"), source.lun, range_error(0, 255)))
    return errors


def validate_csi(source: CSIVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a csi volume: its driver name is valid, and its secret reference, if set, has a name."""
    errors = validate_driver_name(source.driver, path.child("driver"))
    secret = source.nodePublishSecretRef
    if secret is not None and not secret.name:
        errors.append(required(path.child("nodePublishSecretRef").child("name")))
    elif secret is not None:
        errors += [invalid(path.child("name"), secret.name, error) for error in subdomain_name(secret.name)]
    return errors


def validate_driver_name(driver: str, path: FieldPath) -> list[FieldError]:
    """Validate the name of a CSI driver.

    It is a DNS subdomain of at most 63 bytes, in which upper case is allowed.
    """
    if not driver:
        return [required(path)]
    errors = [too_long(path, _DRIVER_LIMIT)] if len(driver.encode()) > _DRIVER_LIMIT else []
    return errors + [invalid(path, driver, error) for error in is_dns1123_subdomain(driver.lower())]


def validate_initiator(name: str, path: FieldPath, unknown: str = _UNKNOWN_FORMAT) -> list[FieldError]:
    """Validate a target or initiator name of iSCSI in the format iqn, eui or naa.

    `unknown` is the error message for names in other formats.
    """
    pattern = _INITIATORS.get(name[:3])
    if pattern is None:
        return [invalid(path, name, unknown)]
    return [] if pattern.search(name) else [invalid(path, name, WRONG_FORMAT)]


def validate_projected(projected: ProjectedVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate a projected volume: each source has exactly one type, and the paths of all files are unique."""
    errors = validate_file_mode(projected.defaultMode, path.child("defaultMode"))
    taken: set[str] = set()
    for index, source in enumerate(projected.sources):
        errors += _validate_source(source, index, taken, path)
    return errors


def _validate_source(source: VolumeProjection, index: int, taken: set[str], path: FieldPath) -> list[FieldError]:
    item = path.child("sources").item(index)
    errors: list[FieldError] = []
    for name in ("secret", "configMap"):
        projection = getattr(source, name)
        if projection is not None:
            errors += _validate_keys(projection, taken, item.child(name), path)
    if source.downwardAPI is not None:
        errors += _validate_files(source.downwardAPI.items, taken, item.child("downwardAPI"), path)
    if source.serviceAccountToken is not None:
        errors += _validate_token(source.serviceAccountToken, item.child("serviceAccountToken"), path)
    types = (source.secret, source.configMap, source.downwardAPI, source.serviceAccountToken)
    if sum(projection is not None for projection in types) > 1:
        errors.append(forbidden(item, "may not specify more than 1 volume type per source"))
    return errors


def _validate_keys(
    projection: SecretProjection | ConfigMapProjection, taken: set[str], path: FieldPath, volume_path: FieldPath
) -> list[FieldError]:
    errors = require(projection, ("name",), path)
    for index, item in enumerate(projection.items):
        errors += validate_key(item, path.child("items").item(index))
        errors += _take(item.path, taken, invalid(volume_path, projection.name, _CONFLICT))
    return errors


def _validate_files(
    files: Sequence[DownwardAPIVolumeFile], taken: set[str], path: FieldPath, volume_path: FieldPath
) -> list[FieldError]:
    errors: list[FieldError] = []
    for file in files:
        errors += validate_downward_file(file, path)
        errors += _take(file.path, taken, invalid(volume_path, file.path, _CONFLICT))
    return errors


def _take(file_path: str, taken: set[str], conflict: FieldError) -> list[FieldError]:
    if file_path and file_path in taken:
        return [conflict]
    taken.add(file_path)
    return []


def _validate_token(token: ServiceAccountTokenProjection, path: FieldPath, volume_path: FieldPath) -> list[FieldError]:
    """Validate `token`, the source of a service account token in a projected volume.

    `path` is the field path of this source, and `volume_path` that of the projected volume. As in kube-apiserver,
    errors about the field ``path`` of the source are reported below `volume_path`.
    """
    seconds = token.expirationSeconds or 0
    errors: list[FieldError] = []
    if seconds < _SHORTEST_TOKEN:
        detail = "may not specify a duration less than 10 minutes"
        errors.append(invalid(path.child("expirationSeconds"), seconds, detail))
    if seconds > _LONGEST_TOKEN:
        detail = "may not specify a duration larger than 2^32 seconds"
        errors.append(invalid(path.child("expirationSeconds"), seconds, detail))
    if not token.path:
        return [*errors, required(volume_path.child("path"))]
    return errors + validate_local_path(token.path, volume_path.child("path"))
