"""Validation of seccomp and AppArmor profiles, in fields and in deprecated annotations."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    invalid_typed,
    not_supported,
    required,
    too_long,
)
from memkube.apimachinery.shown_values import InternalValue, quoted
from memkube.apis.core.v1.podspec.types.security import AppArmorProfile, SeccompProfile
from memkube.apis.core.v1.podspec.validation.context import containers_with_paths, validate_descending_path

if TYPE_CHECKING:
    from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec

SECCOMP_POD_ANNOTATION: Final = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER_ANNOTATION: Final = "container.seccomp.security.alpha.kubernetes.io/"
APPARMOR_ANNOTATION: Final = "container.apparmor.security.beta.kubernetes.io/"
LOCALHOST: Final = "localhost/"
_TYPES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_PATH_LIMIT: Final = 4095
_ANNOTATION_VALUES: Final = {"Unconfined": ("unconfined",), "RuntimeDefault": ("runtime/default", "docker/default")}


def validate_seccomp_profile(profile: SeccompProfile | None, path: FieldPath) -> list[FieldError]:
    """Validate a seccomp profile: known type, and a path if and only if the type is Localhost."""
    if profile is None:
        return []
    errors: list[FieldError] = []
    if not profile.type:
        errors.append(required(path.child("type"), "type is required when seccompProfile is set"))
    elif profile.type not in _TYPES:
        errors.append(not_supported(path.child("type"), profile.type, _TYPES))
    local_path = path.child("localhostProfile")
    if profile.type == "Localhost":
        if profile.localhostProfile is None:
            errors.append(required(local_path, "must be set when seccomp type is Localhost"))
        else:
            errors += validate_descending_path(profile.localhostProfile, local_path)
    elif profile.localhostProfile is not None:
        errors.append(invalid(local_path, InternalValue(profile), "can only be set when seccomp type is Localhost"))
    return errors


def validate_apparmor_profile(profile: AppArmorProfile | None, path: FieldPath) -> list[FieldError]:
    """Validate an AppArmor profile: known type, and a profile name if and only if the type is Localhost."""
    if profile is None:
        return []
    local_path = path.child("localhostProfile")
    if profile.type == "Localhost":
        return _validate_apparmor_name(profile.localhostProfile, local_path)
    if not profile.type:
        return [required(path.child("type"), "type is required when appArmorProfile is set")]
    if profile.type not in _TYPES:
        return [not_supported(path.child("type"), profile.type, _TYPES)]
    if profile.localhostProfile is not None:
        return [invalid_typed(local_path, profile.localhostProfile, "can only be set when AppArmor type is Localhost")]
    return []


def validate_profile_annotations(annotations: Mapping[str, str], spec: "PodSpec", path: FieldPath) -> list[FieldError]:
    """Validate the annotations for seccomp and AppArmor profiles.

    The profile names must be valid, and the containers must exist.
    """
    errors: list[FieldError] = []
    if (profile := annotations.get(SECCOMP_POD_ANNOTATION)) is not None:
        errors += _validate_seccomp_name(profile, path.child(SECCOMP_POD_ANNOTATION))
    for key, value in annotations.items():
        if key.startswith(SECCOMP_CONTAINER_ANNOTATION):
            errors += _validate_seccomp_name(value, path.child(key))
    for key, value in annotations.items():
        if key.startswith(APPARMOR_ANNOTATION):
            container = key.removeprefix(APPARMOR_ANNOTATION)
            if all(other.name != container for other, _ in containers_with_paths(spec, path)):
                errors.append(invalid(path.key(key), container, "container not found"))
            if value not in ("", "runtime/default", "unconfined") and not value.startswith(LOCALHOST):
                errors.append(invalid(path.key(key), value, f"invalid AppArmor profile name: {quoted(value)}"))
    return errors


def validate_seccomp_agreement(annotations: Mapping[str, str], spec: "PodSpec", path: FieldPath) -> list[FieldError]:
    """Validate that the seccomp annotations do not contradict the seccomp fields of pod and containers."""
    if not any(key == SECCOMP_POD_ANNOTATION or key.startswith(SECCOMP_CONTAINER_ANNOTATION) for key in annotations):
        return []
    errors: list[FieldError] = []
    profile = spec.securityContext.seccompProfile if spec.securityContext else None
    if profile is not None and (value := annotations.get(SECCOMP_POD_ANNOTATION)) is not None:
        errors += _disagreement(value, profile, "seccomp", path.child("securityContext").child("seccompProfile"))
    for container, container_path in containers_with_paths(spec, path):
        profile = container.securityContext.seccompProfile if container.securityContext else None
        value = annotations.get(SECCOMP_CONTAINER_ANNOTATION + container.name)
        if profile is not None and value is not None:
            profile_path = container_path.child("securityContext").child("seccompProfile")
            errors += _disagreement(value, profile, "seccomp", profile_path)
    return errors


def validate_apparmor_agreement(annotations: Mapping[str, str], spec: "PodSpec", path: FieldPath) -> list[FieldError]:
    """Validate that the AppArmor annotations do not contradict the AppArmor fields of pod and containers."""
    is_windows = spec.os is not None and spec.os.name == "windows"
    if is_windows or not any(key.startswith(APPARMOR_ANNOTATION) for key in annotations):
        return []
    errors: list[FieldError] = []
    of_pod = spec.securityContext.appArmorProfile if spec.securityContext else None
    for container, container_path in containers_with_paths(spec, path):
        own = container.securityContext.appArmorProfile if container.securityContext else None
        profile = own or of_pod
        value = annotations.get(APPARMOR_ANNOTATION + container.name)
        if profile is not None and value is not None:
            profile_path = container_path.child("securityContext").child("appArmorProfile")
            errors += _disagreement(value, profile, "apparmor", profile_path)
    return errors


def _validate_apparmor_name(name: str | None, path: FieldPath) -> list[FieldError]:
    if name is None:
        return [required(path, "must be set when AppArmor type is Localhost")]
    errors: list[FieldError] = []
    if name.strip() != name:
        errors.append(invalid(path, name, "must not be padded with whitespace"))
    elif not name:
        errors.append(required(path, "must be set when AppArmor type is Localhost"))
    if len(name.encode()) > _PATH_LIMIT:
        errors.append(too_long(path, _PATH_LIMIT))
    return errors


def _validate_seccomp_name(profile: str, path: FieldPath) -> list[FieldError]:
    if profile in ("runtime/default", "docker/default", "unconfined"):
        return []
    if profile.startswith(LOCALHOST):
        return validate_descending_path(profile.removeprefix(LOCALHOST), path)
    return [invalid(path, profile, "must be a valid seccomp profile")]


def _disagreement(
    annotation: str, profile: SeccompProfile | AppArmorProfile, kind: str, path: FieldPath
) -> list[FieldError]:
    mismatch = forbidden(path.child("type"), f"{kind} type in annotation and field must match")
    if profile.type == "Localhost":
        if not annotation.startswith(LOCALHOST):
            return [mismatch]
        if profile.localhostProfile != annotation.removeprefix(LOCALHOST):
            return [forbidden(path.child("localhostProfile"), f"{kind} profile in annotation and field must match")]
        return []
    expected = _ANNOTATION_VALUES.get(profile.type)
    if expected is None or annotation == expected[0] or (kind == "seccomp" and annotation in expected):
        return []
    return [mismatch]


def apparmor_profile_of(annotation: str) -> AppArmorProfile | None:
    """Return the AppArmor profile that an annotation value describes; None if the value is invalid."""
    if annotation == "unconfined":
        return AppArmorProfile(type="Unconfined")
    if annotation == "runtime/default":
        return AppArmorProfile(type="RuntimeDefault")
    name = annotation.removeprefix(LOCALHOST)
    if annotation.startswith(LOCALHOST) and name:
        return AppArmorProfile(type="Localhost", localhostProfile=name)
    return None
