"""Validation of volume mounts and volume devices of containers."""

from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)
from memkube.apis.core.v1.podspec.types.containers import VolumeDevice, VolumeMount
from memkube.apis.core.v1.podspec.validation.context import (
    AnyContainer,
    PodContext,
    validate_descending_path,
    validate_no_backsteps,
)

_PROPAGATION: Final = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE_READ_ONLY: Final = ("Disabled", "Enabled", "IfPossible")


def validate_mounts(container: AnyContainer, pod: PodContext, path: FieldPath) -> list[FieldError]:
    """Validate volume mounts: each names a volume of the pod and has a unique path."""
    devices = {device.name: device.devicePath for device in container.volumeDevices}
    errors: list[FieldError] = []
    taken: set[str] = set()
    for index, mount in enumerate(container.volumeMounts):
        item = path.item(index)
        if not mount.name:
            errors.append(required(item.child("name")))
        if mount.name not in pod.volumes:
            errors.append(not_found(item.child("name"), mount.name))
        if not mount.mountPath:
            errors.append(required(item.child("mountPath")))
        if mount.mountPath in taken:
            errors.append(invalid(item.child("mountPath"), mount.mountPath, "must be unique"))
        taken.add(mount.mountPath)
        if mount.name in devices:
            errors.append(invalid(item.child("name"), mount.name, "must not already exist in volumeDevices"))
        if mount.mountPath in devices.values():
            detail = "must not already exist as a path in volumeDevices"
            errors.append(invalid(item.child("mountPath"), mount.mountPath, detail))
        errors += _validate_sub_paths(mount, item, path)
        errors += _validate_propagation(mount, container, path.child("mountPropagation"))
        errors += _validate_recursive_read_only(mount, path.child("recursiveReadOnly"))
    return errors


def validate_devices(container: AnyContainer, pod: PodContext, path: FieldPath) -> list[FieldError]:
    """Validate volume devices: each names a claim volume of the pod and has a unique path."""
    mounts = {mount.name: mount.mountPath for mount in container.volumeMounts}
    errors: list[FieldError] = []
    names: set[str] = set()
    paths: set[str] = set()
    for index, device in enumerate(container.volumeDevices):
        item = path.item(index)
        errors += _validate_device_name(device, names, pod, item.child("name"))
        errors += _validate_device_path(device.devicePath, paths, item.child("devicePath"))
        if device.name in mounts:
            errors.append(invalid(item.child("name"), device.name, "must not already exist in volumeMounts"))
        if device.devicePath in mounts.values():
            detail = "must not already exist as a path in volumeMounts"
            errors.append(invalid(item.child("devicePath"), device.devicePath, detail))
        if device.name:
            names.add(device.name)
    return errors


def _validate_sub_paths(mount: VolumeMount, item: FieldPath, path: FieldPath) -> list[FieldError]:
    """Validate subPath and subPathExpr of a volume mount.

    As in kube-apiserver, errors about an invalid path do not say which mount it belongs to: they have the field path
    `path` of the list instead of `item`.
    """
    errors = validate_descending_path(mount.subPath, path.child("subPath")) if mount.subPath else []
    if mount.subPathExpr:
        if mount.subPath:
            detail = "subPathExpr and subPath are mutually exclusive"
            errors.append(invalid(item.child("subPathExpr"), mount.subPathExpr, detail))
        errors += validate_descending_path(mount.subPathExpr, path.child("subPathExpr"))
    return errors


def _validate_propagation(mount: VolumeMount, container: AnyContainer, path: FieldPath) -> list[FieldError]:
    if mount.mountPropagation is None:
        return []
    errors: list[FieldError] = []
    if mount.mountPropagation not in _PROPAGATION:
        errors.append(not_supported(path, mount.mountPropagation, _PROPAGATION))
    privileged = container.securityContext is not None and container.securityContext.privileged
    if mount.mountPropagation == "Bidirectional" and not privileged:
        errors.append(forbidden(path, "Bidirectional mount propagation is available only to privileged containers"))
    return errors


def _validate_recursive_read_only(mount: VolumeMount, path: FieldPath) -> list[FieldError]:
    if mount.recursiveReadOnly is None or mount.recursiveReadOnly == "Disabled":
        return []
    if mount.recursiveReadOnly not in _RECURSIVE_READ_ONLY:
        return [not_supported(path, mount.recursiveReadOnly, _RECURSIVE_READ_ONLY)]
    errors: list[FieldError] = []
    if not mount.readOnly:
        errors.append(forbidden(path, "may only be specified when readOnly is true"))
    if mount.mountPropagation not in (None, "None"):
        errors.append(forbidden(path, "may only be specified when mountPropagation is None or not specified"))
    return errors


def _validate_device_name(device: VolumeDevice, taken: set[str], pod: PodContext, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    volume = pod.volumes.get(device.name)
    if not device.name:
        errors.append(required(path))
    if device.name in taken:
        errors.append(invalid(path, device.name, "must be unique"))
    if volume is None:
        errors.append(not_found(path, device.name))
    elif volume.persistentVolumeClaim is None and volume.ephemeral is None:
        detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
        errors.append(invalid(path, device.name, detail))
    return errors


def _validate_device_path(device_path: str, taken: set[str], path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if not device_path:
        errors.append(required(path))
    if device_path in taken:
        errors.append(invalid(path, device_path, "must be unique"))
    if validate_no_backsteps(device_path, path):
        errors.append(invalid(path, device_path, "can not contain backsteps ('..')"))
    else:
        taken.add(device_path)
    return errors
