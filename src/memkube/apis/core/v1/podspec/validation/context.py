"""What the rules for one part of a pod spec must know of the rest."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from memkube.apimachinery.field_errors import FieldPath
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.ephemeral_containers import EphemeralContainerCommon
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.volumes import Volume

AnyContainer: TypeAlias = Container | EphemeralContainerCommon


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

    volumes: Mapping[str, Volume]
    claim_names: frozenset[str]
    restart_policy: str
    grace_period: int | None
    host_users: bool


def containers_with_paths(spec: PodSpec, path: FieldPath) -> Iterator[tuple[AnyContainer, FieldPath]]:
    """All containers of a spec in the order of the reference: init containers first, ephemeral ones last."""
    for index, container in enumerate(spec.initContainers):
        yield container, path.child("initContainers").item(index)
    for index, container in enumerate(spec.containers):
        yield container, path.child("containers").item(index)
    for index, ephemeral in enumerate(spec.ephemeralContainers):
        yield ephemeral, path.child("ephemeralContainers").item(index)
