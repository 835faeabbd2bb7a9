"""What the rules for parts of pod specs share: what they know of the pod, and rules for names, paths and policies."""

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
    """Which variant of the rules holds."""

    is_pod: bool = False
    """The spec belongs to a pod rather than to a template."""
    any_selinux_policy: bool = False
    """The pod had a SELinux change policy before, so that it may have any."""


@dataclass(frozen=True, slots=True)
class PodContext:
    """The pod around a container."""

    volumes: Mapping[str, "Volume"]
    claim_names: frozenset[str]
    restart_policy: str
    grace_period: int | None
    host_users: bool


def containers_with_paths(spec: "PodSpec", path: FieldPath) -> Iterator[tuple[AnyContainer, FieldPath]]:
    """All containers of a spec in the order of the reference: init containers first, ephemeral ones last."""
    for index, container in enumerate(spec.initContainers):
        yield container, path.child("initContainers").item(index)
    for index, container in enumerate(spec.containers):
        yield container, path.child("containers").item(index)
    for index, ephemeral in enumerate(spec.ephemeralContainers):
        yield ephemeral, path.child("ephemeralContainers").item(index)


def validate_dns_label(value: str, path: FieldPath) -> list[FieldError]:
    """The value is a label of a domain name."""
    return [invalid(path, value, error) for error in is_dns1123_label(value)]


def validate_subdomain(value: str, path: FieldPath) -> list[FieldError]:
    """The value is a domain name."""
    return [invalid(path, value, error) for error in is_dns1123_subdomain(value)]


def validate_unix_id(value: int | None, path: FieldPath) -> list[FieldError]:
    """The value, where there is one, is the number of a user or group."""
    return [] if value is None else [invalid(path, value, error) for error in is_unix_id(value)]


def require(owner: object, names: Iterable[str], path: FieldPath) -> list[FieldError]:
    """Each of these fields of `owner` is set."""
    return [required(path.child(name)) for name in names if not getattr(owner, name)]


def validate_no_backsteps(target: str, path: FieldPath) -> list[FieldError]:
    """The path never leaves its directory with ``..``."""
    return [invalid(path, target, "must not contain '..'")] if ".." in target.split("/") else []


def validate_descending_path(target: str, path: FieldPath) -> list[FieldError]:
    """The path is relative and never leaves its directory."""
    errors = [invalid(path, target, "must be a relative path")] if target.startswith("/") else []
    return errors + validate_no_backsteps(target, path)


def validate_local_path(target: str, path: FieldPath) -> list[FieldError]:
    """The path stays inside, and no name that volumes reserve (``..data``) begins it."""
    errors = validate_descending_path(target, path)
    if target.startswith("..") and not target.startswith("../"):
        errors.append(invalid(path, target, "must not start with '..'"))
    return errors


def validate_file_mode(mode: int | None, path: FieldPath) -> list[FieldError]:
    """The mode, where there is one, has permission bits only."""
    if mode is None or 0 <= mode <= 0o777:
        return []
    return [invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")]


def validate_pull_policy(policy: str, path: FieldPath) -> list[FieldError]:
    """The policy is a known one."""
    if policy in _PULL_POLICIES:
        return []
    return [not_supported(path, policy, _PULL_POLICIES) if policy else required(path)]
