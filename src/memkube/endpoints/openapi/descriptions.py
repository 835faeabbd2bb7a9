"""Descriptions of resources for OpenAPI, and the names of types, operations and paths that follow from them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import StructSchema

META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"


@dataclass(frozen=True)
class SubresourceDescription:
    """A subresource as OpenAPI documents describe it."""

    name: str
    group: str
    version: str
    kind: str
    schema: StructSchema | None
    """The type that is read and written; None if the subresource is answered as text."""
    verbs: tuple[str, ...]
    query: StructSchema | None = None
    """The options of the subresource, whose fields are query parameters."""
    connect_methods: tuple[str, ...] = ()
    """HTTP methods, in lower case, that open a connection."""
    has_path: bool = False
    """True if the address may continue with any path, as that of ``proxy``."""


@dataclass(frozen=True)
class ResourceDescription:
    """A served resource as OpenAPI documents describe it."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    schema: StructSchema
    verbs: tuple[str, ...]
    subresources: tuple[SubresourceDescription, ...] = ()
    delete_answers_object: bool = False
    """True if DELETE answers the object instead of a Status."""
    document: Document | None = None
    """The structural schema of a custom kind; None for built-in kinds."""
    list_kind: str = ""
    """The kind of lists of a custom kind, such as ``WidgetList``."""
    selectable: tuple[str, ...] = ()
    """The selectable fields of a custom kind."""

    @property
    def is_custom(self) -> bool:
        """True for a kind that a CustomResourceDefinition defines."""
        return self.document is not None


def group_versions(resources: Iterable[ResourceDescription]) -> list[tuple[str, str]]:
    """Return the groups and versions of resources, each once, sorted."""
    return sorted({(resource.group, resource.version) for resource in resources})


def groups_with_own_documents(resources: Iterable[ResourceDescription]) -> set[str]:
    """Return the groups whose path, such as ``/apis/apps/``, has a document: those with at least one built-in kind."""
    return {resource.group for resource in resources if not resource.is_custom}


def root_path(group: str, version: str) -> str:
    """Return the path of a group and version, such as ``/apis/apps/v1``."""
    return f"/apis/{group}/{version}" if group else f"/api/{version}"


def openapi_name(schema: StructSchema) -> str:
    """Return the OpenAPI name of one of Kubernetes' types, such as io.k8s.api.core.v1.Pod; "" for another type."""
    host, _, path = schema.package.partition("/")
    return ".".join([*reversed(host.split(".")), *path.split("/"), schema.name]) if host else ""


def kind_name(group: str, version: str, kind: str, schema: StructSchema) -> str:
    """Return the OpenAPI name of a kind; a custom kind's is made from its group, such as com.example.v1.Widget."""
    return openapi_name(schema) or ".".join([*reversed(group.split(".")), version, kind]).lstrip(".")


def reference(name: str) -> str:
    """Return the ``$ref`` of a component with this name."""
    return f"#/components/schemas/{name}"


def tag(group: str, version: str = "") -> str:
    """Return the OpenAPI tag of the operations of a group, such as rbacAuthorization_v1."""
    first, *rest = _words(group)
    name = first + "".join(map(_titled, rest))
    return f"{name}_{version}" if version else name


def operation_infix(group: str, version: str = "") -> str:
    """Return the part of operation ids that stands for group and version, such as RbacAuthorizationV1."""
    return "".join(map(_titled, [*_words(group), version]))


def _words(group: str) -> list[str]:
    return (group or "core").removesuffix(".k8s.io").replace("-", ".").split(".")


def _titled(word: str) -> str:
    return word[:1].upper() + word[1:]
