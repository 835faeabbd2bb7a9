"""What OpenAPI documents are made from, and how they name it.

The served resources are described without their behaviour; types, operations and addresses have names that follow from
them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import StructSchema

META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"


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
    document: Document | None = None
    """The structural schema of a custom kind."""
    list_kind: str = ""
    """The kind of lists of a custom kind."""
    selectable: tuple[str, ...] = ()
    """The fields of a custom kind that objects can be selected by."""

    @property
    def is_custom(self) -> bool:
        """Whether its documents are those of a custom kind."""
        return self.document is not None


def group_versions(resources: Iterable[ResourceDescription]) -> list[tuple[str, str]]:
    """The groups and versions of resources, each once, sorted."""
    return sorted({(resource.group, resource.version) for resource in resources})


def groups_with_own_documents(resources: Iterable[ResourceDescription]) -> set[str]:
    """The groups whose addresses have a document of their own: those that are not of custom kinds alone."""
    return {resource.group for resource in resources if not resource.is_custom}


def root_path(group: str, version: str) -> str:
    """The address of a group and version."""
    return f"/apis/{group}/{version}" if group else f"/api/{version}"


def openapi_name(schema: StructSchema) -> str:
    """The name of a type of the reference, such as io.k8s.api.core.v1.Pod; "" for any other type."""
    host, _, path = schema.package.partition("/")
    return ".".join([*reversed(host.split(".")), *path.split("/"), schema.name]) if host else ""


def kind_name(group: str, version: str, kind: str, schema: StructSchema) -> str:
    """The name of a kind; of one that the reference does not have, such as com.example.v1.Widget, from its group."""
    return openapi_name(schema) or ".".join([*reversed(group.split(".")), version, kind]).lstrip(".")


def reference(name: str) -> str:
    """A pointer to a component."""
    return f"#/components/schemas/{name}"


def tag(group: str, version: str = "") -> str:
    """The tag of a group's operations, such as rbacAuthorization_v1."""
    first, *rest = _words(group)
    name = first + "".join(map(_titled, rest))
    return f"{name}_{version}" if version else name


def operation_infix(group: str, version: str = "") -> str:
    """The part of operation ids that tells groups and versions apart, such as RbacAuthorizationV1."""
    return "".join(map(_titled, [*_words(group), version]))


def _words(group: str) -> list[str]:
    return (group or "core").removesuffix(".k8s.io").replace("-", ".").split(".")


def _titled(word: str) -> str:
    return word[:1].upper() + word[1:]
