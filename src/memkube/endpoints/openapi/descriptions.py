"""What OpenAPI documents are made from: the served resources, described without their behaviour."""

from collections.abc import Iterable
from dataclasses import dataclass

from memkube.apimachinery.schema import StructSchema


@dataclass(frozen=True)
class SubresourceDescription:
    """A path behind an object's name."""

    name: str
    group: str
    version: str
    kind: str
    schema: StructSchema | None
    """What is read and written there; None where the answer is text."""
    verbs: tuple[str, ...]
    query: StructSchema | None = None
    """Options that are taken as query parameters."""
    connect_methods: tuple[str, ...] = ()
    """HTTP methods in lower case that connect to something else than an object."""
    has_path: bool = False
    """Whether any further path may follow."""


@dataclass(frozen=True)
class ResourceDescription:
    """A served resource."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    schema: StructSchema
    verbs: tuple[str, ...]
    subresources: tuple[SubresourceDescription, ...] = ()
    delete_answers_object: bool = False
    """Whether DELETE answers the object instead of a Status."""
    strategic_merge: bool = True
    """Whether PATCH takes strategic merge patches."""


def group_versions(resources: Iterable[ResourceDescription]) -> list[tuple[str, str]]:
    """The groups and versions of resources, each once, sorted."""
    return sorted({(resource.group, resource.version) for resource in resources})


def root_path(group: str, version: str) -> str:
    """The address of a group and version."""
    return f"/apis/{group}/{version}" if group else f"/api/{version}"
