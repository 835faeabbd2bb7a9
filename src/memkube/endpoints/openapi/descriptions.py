"""Descriptions of resources for OpenAPI, and the names of types, operations and paths."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import StructSchema

META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"


@dataclass(frozen=True)
class SubresourceDescription:
    """Description of a subresource, from which OpenAPI documents are generated."""

    name: str
    group: str
    version: str
    kind: str
    schema: StructSchema | None
    """Type of the subresource's objects; None if the response is text."""
    verbs: tuple[str, ...]
    query: StructSchema | None = None
    """Options type of the subresource. Each of its fields is a query parameter."""
    connect_methods: tuple[str, ...] = ()
    """HTTP methods, in lower case, with which clients open a connection."""
    has_path: bool = False
    """True if the URL can continue after the name of the subresource, as for ``proxy``."""


@dataclass(frozen=True)
class ResourceDescription:
    """Description of a served resource, from which OpenAPI documents are generated."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    schema: StructSchema
    verbs: tuple[str, ...]
    subresources: tuple[SubresourceDescription, ...] = ()
    delete_answers_object: bool = False
    """True if the response to a DELETE is the object instead of a Status."""
    has_protobuf: bool = True
    """True if a built-in kind can be read as protobuf, which kinds of metrics.k8s.io cannot."""
    document: Document | None = None
    """OpenAPI v3 schema in the CustomResourceDefinition; None for built-in kinds."""
    list_kind: str = ""
    """Kind of the lists of a custom kind, such as ``WidgetList``."""
    selectable: tuple[str, ...] = ()
    """Paths of the selectable fields of a custom kind."""

    @property
    def is_custom(self) -> bool:
        """True for a kind that a CustomResourceDefinition defines."""
        return self.document is not None


def group_versions(resources: Iterable[ResourceDescription]) -> list[tuple[str, str]]:
    """Return the sorted groups and versions of the resources, without duplicates."""
    return sorted({(resource.group, resource.version) for resource in resources})


def groups_with_own_documents(resources: Iterable[ResourceDescription]) -> set[str]:
    """Return the groups for which an OpenAPI document at the group's path exists, such as ``/apis/apps/``.

    Groups with only custom kinds have no such document.
    """
    return {resource.group for resource in resources if not resource.is_custom}


def root_path(group: str, version: str) -> str:
    """Return the path of a group and version, such as ``/apis/apps/v1``."""
    return f"/apis/{group}/{version}" if group else f"/api/{version}"


def openapi_name(schema: StructSchema) -> str:
    """Return the OpenAPI name of a Kubernetes type, such as io.k8s.api.core.v1.Pod; "" for a custom kind."""
    host, _, path = schema.package.partition("/")
    return ".".join([*reversed(host.split(".")), *path.split("/"), schema.name]) if host else ""


def kind_name(group: str, version: str, kind: str, schema: StructSchema) -> str:
    """Return the OpenAPI name of a kind.

    The name of a custom kind begins with its group in reverse order: com.example.v1.Widget.
    """
    return openapi_name(schema) or ".".join([*reversed(group.split(".")), version, kind]).lstrip(".")


def reference(name: str) -> str:
    """Return the ``$ref`` to the schema with this name."""
    return f"#/components/schemas/{name}"


def tag(group: str, version: str = "") -> str:
    """Return the OpenAPI tag of operations on resources of a group and version, such as rbacAuthorization_v1."""
    first, *rest = _words(group)
    name = first + "".join(map(_titled, rest))
    return f"{name}_{version}" if version else name


def operation_infix(group: str, version: str = "") -> str:
    """Return the group and version as operation ids contain them, such as RbacAuthorizationV1."""
    return "".join(map(_titled, [*_words(group), version]))


def _words(group: str) -> list[str]:
    return (group or "core").removesuffix(".k8s.io").replace("-", ".").split(".")


def _titled(word: str) -> str:
    return word[:1].upper() + word[1:]
