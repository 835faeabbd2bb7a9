"""Types and rules that several modules of pod spec validation use."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported, required
from memkube.apimachinery.names import is_dns1123_label, is_dns1123_subdomain, is_unix_id

if TYPE_CHECKING:
    from memkube.apis.core.v1.podspec.types.containers import Container, EphemeralContainerCommon
    from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
    from memkube.apis.core.v1.podspec.types.volumes import Volume

AnyContainer: TypeAlias = "Container | EphemeralContainerCommon"
_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")


@dataclass(frozen=True, slots=True)
class SpecRules:
    """Rules for validating a pod spec that depend on its owner (a pod or a template) and on the stored object."""

    is_pod: bool = False
    """True to validate the spec of a pod; False to validate the spec of a pod template."""
    any_selinux_policy: bool = False
    """True to accept any SELinux change policy, because the stored pod has one already."""


@dataclass(frozen=True, slots=True)
class PodContext:
    """Fields of a pod spec that the rules for its containers depend on."""

    volumes: Mapping[str, "Volume"]
    claim_names: frozenset[str]
    restart_policy: str
    grace_period: int | None
    host_users: bool


def containers_with_paths(spec: "PodSpec", path: FieldPath) -> Iterator[tuple[AnyContainer, FieldPath]]:
    """Yield all containers of a spec with their paths: init containers, containers, then ephemeral containers."""
    for index, container in enumerate(spec.initContainers):
        yield container, path.child("initContainers").item(index)
    for index, container in enumerate(spec.containers):
        yield container, path.child("containers").item(index)
    for index, ephemeral in enumerate(spec.ephemeralContainers):
        yield ephemeral, path.child("ephemeralContainers").item(index)


def validate_dns_label(value: str, path: FieldPath) -> list[FieldError]:
    """Validate that the value is a DNS label (RFC 1123). Each broken rule is an error."""
    return [invalid(path, value, error) for error in is_dns1123_label(value)]


def validate_subdomain(value: str, path: FieldPath) -> list[FieldError]:
    """Validate that the value is a DNS subdomain."""
    return [invalid(path, value, error) for error in is_dns1123_subdomain(value)]


def validate_unix_id(value: int | None, path: FieldPath) -> list[FieldError]:
    """Validate that the value, if set, is a valid Unix user or group ID."""
    return [] if value is None else [invalid(path, value, error) for error in is_unix_id(value)]


def require(owner: object, names: Iterable[str], path: FieldPath) -> list[FieldError]:
    """Return an error for each field in `names` that is not set in the object `owner`, whose field path is `path`."""
    return [required(path.child(name)) for name in names if not getattr(owner, name)]


def validate_no_backsteps(target: str, path: FieldPath) -> list[FieldError]:
    """Validate that the file path `target` has no ``..`` element; `path` is its field path."""
    return [invalid(path, target, "must not contain '..'")] if ".." in target.split("/") else []


def validate_descending_path(target: str, path: FieldPath) -> list[FieldError]:
    """Validate that the file path `target` is relative and has no ``..`` element; `path` is its field path."""
    errors = [invalid(path, target, "must be a relative path")] if target.startswith("/") else []
    return errors + validate_no_backsteps(target, path)


def validate_local_path(target: str, path: FieldPath) -> list[FieldError]:
    """Validate that the file path `target` is relative, has no element ``..``, and does not begin like ``..data``.

    `path` is the field path of the value.
    """
    errors = validate_descending_path(target, path)
    if target.startswith("..") and not target.startswith("../"):
        errors.append(invalid(path, target, "must not start with '..'"))
    return errors


def validate_file_mode(mode: int | None, path: FieldPath) -> list[FieldError]:
    """Validate that the file mode, if set, has only permission bits."""
    if mode is None or 0 <= mode <= 0o777:
        return []
    return [invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")]


def validate_pull_policy(policy: str, path: FieldPath) -> list[FieldError]:
    """Validate that the image pull policy is a known value."""
    if policy in _PULL_POLICIES:
        return []
    return [not_supported(path, policy, _PULL_POLICIES) if policy else required(path)]
