"""Validation of the volume sources of PersistentVolumes.

Source types that pods have too are validated by the rules for pods.
"""

from collections.abc import Callable
from typing import Any, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, required
from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.names import label_name, range_error
from memkube.apimachinery.shown_values import InternalStruct, go_json, internal_form, line_diff
from memkube.apis.core.v1 import GO_PACKAGE
from memkube.apis.core.v1.persistentvolumes.types import (
    AzureFilePersistentVolumeSource,
    CinderPersistentVolumeSource,
    CSIPersistentVolumeSource,
    GlusterfsPersistentVolumeSource,
    ISCSIPersistentVolumeSource,
    LocalVolumeSource,
    PersistentVolumeSource,
    PersistentVolumeSpec,
    StorageOSPersistentVolumeSource,
)
from memkube.apis.core.v1.podspec.validation import retired_volume_sources as retired
from memkube.apis.core.v1.podspec.validation import volume_sources as sources
from memkube.apis.core.v1.podspec.validation.context import (
    require,
    validate_dns_label,
    validate_no_backsteps,
    validate_subdomain,
)
from memkube.apis.core.v1.references import SecretReference

_ONE_TYPE: Final = "may not specify more than 1 volume type"
_INITIATOR_LIMIT: Final = 64
_CHECKED_SECRETS: Final = (
    "controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef",
)  # fmt: skip
"""Secret references of CSI volumes that are validated. As in kube-apiserver, ``nodeStageSecretRef`` is not among them.
"""


def validate_source(spec: PersistentVolumeSpec, volume_name: str, path: FieldPath, *, placed: bool) -> list[FieldError]:
    """Validate that a PersistentVolume has exactly one volume source, and that the source is valid.

    As in kube-apiserver, a flexVolume is accepted in addition to another source. `volume_name` is the name of the
    PersistentVolume: this name and an iSCSI portal together must not be too long. `placed` is True if the volume has
    node affinity, which a local volume requires.
    """
    errors: list[FieldError] = []
    found = False
    for name, validate in _SOURCE_RULES.items():
        source = getattr(spec, name)
        if source is None:
            continue
        if (
            found and name != "flexVolume"
        ):  # As in kube-apiserver, only a flexVolume may be set in addition to another source.
            errors.append(forbidden(path.child("cephFS" if name == "cephfs" else name), _ONE_TYPE))
            continue
        found = True
        source_path = path.child("persistentDisk" if name == "gcePersistentDisk" else name)
        if name == "iscsi":
            errors += _validate_iscsi(source, volume_name, source_path)
        else:
            errors += validate(source, source_path)
        if name == "local" and not placed:
            errors.append(required(path.child("nodeAffinity"), "Local volume requires node affinity"))
    return errors if found else [*errors, required(path, "must specify a volume type")]


def source_difference(before: PersistentVolumeSource, after: PersistentVolumeSource) -> str:
    """Return the lines in which two volume sources differ, for error messages; empty if they are equal."""
    names = PersistentVolumeSource.model_fields
    if all(getattr(before, name) == getattr(after, name) for name in names):
        return ""
    texts = (go_json(internal_form(_internal_source(source)), indent=1) for source in (before, after))
    return line_diff(*texts)


def _internal_source(source: PersistentVolumeSource) -> InternalStruct:
    package = go_package(GO_PACKAGE)
    declared = {facts.go_name: facts.name for facts in package.fields("PersistentVolumeSource")}
    names = package.internal_fields("PersistentVolumeSource")
    return InternalStruct(tuple((go_name, getattr(source, declared[go_name])) for go_name, _ in names))


def _validate_glusterfs(source: GlusterfsPersistentVolumeSource, path: FieldPath) -> list[FieldError]:
    errors = require(source, ("endpoints", "path"), path)
    namespace, path = source.endpointsNamespace, path.child("endpointsNamespace")
    if namespace is None:
        return errors
    if not namespace:
        detail = "if the endpointnamespace is set, it must be a valid namespace name"
        return [*errors, invalid(path, namespace, detail)]
    return errors + [invalid(path, namespace, error) for error in label_name(namespace)]


def _validate_iscsi(source: ISCSIPersistentVolumeSource, volume_name: str, path: FieldPath) -> list[FieldError]:
    errors = require(source, ("targetPortal",), path)
    if source.initiatorName is not None and _is_too_long(volume_name, source.targetPortal):
        detail = (
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
            "if iscsi.initiatorName is specified."
        )
        errors.append(invalid(path.child("targetportal"), source.targetPortal, detail))
    if source.iqn:
        errors += sources.validate_initiator(source.iqn, path.child("iqn"), sources.WRONG_FORMAT)
    else:
        errors.append(required(path.child("iqn")))
    if not 0 <= source.lun <= 255:
        errors.append(invalid(path.child("lun"), source.lun, range_error(0, 255)))
    secret_path = path.child("secretRef")
    if source.secretRef is not None:
        errors += require(source.secretRef, ("name",), secret_path)
    elif source.chapAuthDiscovery or source.chapAuthSession:
        errors.append(required(secret_path))
    if source.initiatorName is not None:
        name_path = path.child("initiatorname")
        errors += sources.validate_initiator(source.initiatorName, name_path, sources.WRONG_FORMAT)
    return errors


def _is_too_long(volume_name: str, portal: str) -> bool:
    return len(f"{volume_name}:{portal}".encode()) > _INITIATOR_LIMIT


def _validate_cinder(source: CinderPersistentVolumeSource, path: FieldPath) -> list[FieldError]:
    return require(source, ("volumeID",), path) + _validate_named_secret(source.secretRef, path)


def _validate_named_secret(secret: Any, path: FieldPath) -> list[FieldError]:
    return [] if secret is None else require(secret, ("name", "namespace"), path.child("secretRef"))


def _validate_azure_file(source: AzureFilePersistentVolumeSource, path: FieldPath) -> list[FieldError]:
    errors = require(source, ("secretName", "shareName"), path)
    return errors + ([required(path.child("secretNamespace"))] if source.secretNamespace == "" else [])


def _validate_local(source: LocalVolumeSource, path: FieldPath) -> list[FieldError]:
    errors = require(source, ("path",), path)
    return errors or validate_no_backsteps(source.path, path.child("path"))


def _validate_storage_os(source: StorageOSPersistentVolumeSource, path: FieldPath) -> list[FieldError]:
    return retired.validate_storage_os_names(source, path) + _validate_named_secret(source.secretRef, path)


def _validate_csi(source: CSIPersistentVolumeSource, path: FieldPath) -> list[FieldError]:
    errors = sources.validate_driver_name(source.driver, path.child("driver"))
    errors += require(source, ("volumeHandle",), path)
    for name in _CHECKED_SECRETS:
        secret: SecretReference | None = getattr(source, name)
        if secret is not None:
            errors += _validate_secret(secret, path.child(name))
    return errors


def _validate_secret(secret: SecretReference, path: FieldPath) -> list[FieldError]:
    errors = require(secret, ("name",), path) or validate_subdomain(secret.name, path.child("name"))
    return errors + (
        require(secret, ("namespace",), path) or validate_dns_label(secret.namespace, path.child("namespace"))
    )


_SOURCE_RULES: Final[dict[str, Callable[..., list[FieldError]]]] = {
    "hostPath": sources.validate_host_path,
    "gcePersistentDisk": retired.validate_gce_disk,
    "awsElasticBlockStore": retired.validate_aws_disk,
    "glusterfs": _validate_glusterfs,
    "flocker": retired.validate_flocker,
    "nfs": sources.validate_nfs,
    "rbd": retired.validate_rbd,
    "quobyte": retired.validate_quobyte,
    "cephfs": retired.validate_cephfs,
    "iscsi": _validate_iscsi,
    "cinder": _validate_cinder,
    "fc": sources.validate_fibre_channel,
    "flexVolume": retired.validate_flex,
    "azureFile": _validate_azure_file,
    "vsphereVolume": retired.validate_vsphere,
    "photonPersistentDisk": retired.validate_photon_disk,
    "portworxVolume": retired.validate_portworx,
    "azureDisk": retired.validate_azure_disk,
    "scaleIO": retired.validate_scale_io,
    "local": _validate_local,
    "storageos": _validate_storage_os,
    "csi": _validate_csi,
}
"""Validation function of each volume source, in kube-apiserver's order. Only ``iscsi`` has a rule that also needs the
name of the PersistentVolume."""
