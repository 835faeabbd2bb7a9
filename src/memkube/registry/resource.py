"""A served resource, declared: everything that routing, discovery and the store need to know of a kind."""

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias

from memkube.apimachinery.errors import GroupResource
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.schema import StructSchema, struct_of
from memkube.registry.strategy import Strategy
from memkube.registry.table import TablePrinter

if TYPE_CHECKING:
    from memkube.registry.backend import Backend
    from memkube.registry.connect import Connector, Creator
    from memkube.registry.store import Store
    from memkube.registry.view import View

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")

SelectableFields: TypeAlias = Callable[[Document], Mapping[str, str]]


def metadata_fields(document: Document) -> Mapping[str, str]:
    """The fields that every kind can be selected by."""
    metadata = document["metadata"]
    return {"metadata.name": metadata.get("name", ""), "metadata.namespace": metadata.get("namespace", "")}


def name_field(document: Document) -> Mapping[str, str]:
    """The fields that a cluster-scoped kind can be selected by."""
    return {"metadata.name": document["metadata"].get("name", "")}


@dataclass(frozen=True)
class Subresource:
    """A path behind an object's name."""

    name: str
    verbs: tuple[str, ...]
    model: type[ApiModel]
    kind: str
    group: str = ""
    version: str = ""
    """Group and version of `kind`, where they are not those of the resource."""
    strategy: Strategy[Any] | None = None
    """How get, update and patch of the parent object go through this path."""
    accepted_versions: tuple[str, ...] = ()
    """Further apiVersions that bodies may carry."""
    view: "View | None" = None
    """What get, update and patch show instead of the object."""
    create: "Creator | None" = None
    """What POST does."""
    connect: "Connector | None" = None
    """What a client reaches there instead of an object."""
    methods: tuple[str, ...] = ()
    """The HTTP methods that connect."""
    options: type[ApiModel] | None = None
    """What the query of a connection may say."""
    produces: tuple[str, ...] = ()
    """Media types of a connection's text, which an Accept header may name."""
    has_path: bool = False
    """Whether any further path may follow."""
    tabular: bool = True
    """Whether its answers can be had as a Table."""


def status_subresource(model: type[ApiObject], kind: str, strategy: Strategy[Any]) -> Subresource:
    """``status``: read, replaced and patched as the whole object, of which nothing else changes."""
    return Subresource(name="status", verbs=("get", "patch", "update"), model=model, kind=kind, strategy=strategy)


@dataclass(frozen=True)
class StoredForm:
    """Another resource whose objects are kept for this one too: written through either, they are read through both."""

    resource: "Resource"
    to_stored: Callable[[Document], Document]
    from_stored: Callable[[Document], Document]


@dataclass(frozen=True)
class Resource:
    """A kind that the server keeps and serves."""

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    model: type[ApiObject]
    strategy: Strategy[Any]
    printer: TablePrinter
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    subresources: tuple[Subresource, ...] = ()
    selectable_fields: SelectableFields = metadata_fields
    selectable_labels: frozenset[str] = frozenset({"metadata.name", "metadata.namespace"})
    """The field labels that field selectors may name."""
    field_label_aliases: Mapping[str, str] = field(default_factory=dict)
    """Old names of field labels."""
    unsupported_field_label: Callable[[str], str] = field(
        default=lambda label: f'"{label}" is not a known field selector: only "metadata.name", "metadata.namespace"'
    )
    """The reference's words for a field label that is not among them."""
    create: "Creator | None" = None
    """What POST to the collection does, where it does not store an object."""
    make_store: "Callable[[Resource, Backend], Store] | None" = None
    """For kinds whose verbs do more than the generic ones."""
    stored_form: StoredForm | None = None
    """For a second version of objects that are kept in another one, or in another group."""
    time_to_live: timedelta | None = None
    """How long objects are kept after the last write to them; for ever if it is not set."""
    storage_prefix: str = ""
    """Where the reference keeps its objects, as its messages tell; under the plural if it is not set."""

    @cached_property
    def api_version(self) -> str:
        """What objects carry as apiVersion."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @cached_property
    def storage_version_hash(self) -> str:
        """Tells clients whether the stored version has changed: a digest of group, version and kind.

        Empty where nothing is stored.
        """
        if self.create is not None:
            return ""
        kept = self.kept_as
        name = f"{kept.group}/{kept.version}/{kept.kind}"
        return b64encode(sha256(name.encode()).digest()[:8]).decode()

    @property
    def kept_as(self) -> "Resource":
        """The resource under whose name objects are kept; messages name it too."""
        return self.stored_form.resource if self.stored_form else self

    @property
    def is_namespace(self) -> bool:
        """Whether its objects are the namespaces that other objects live in."""
        return self.plural == "namespaces" and not self.group

    @cached_property
    def group_resource(self) -> GroupResource:
        """How messages name this resource."""
        return GroupResource(self.kept_as.group, self.kept_as.plural)

    @cached_property
    def schema(self) -> StructSchema:
        """The shape of its objects."""
        return struct_of(self.model)

    @cached_property
    def key_prefix(self) -> str:
        """Where storage keeps its objects."""
        return f"/{self.kept_as.group or 'core'}/{self.kept_as.plural}/"

    def subresource(self, name: str) -> Subresource | None:
        """The subresource of that name, if there is one."""
        return next((s for s in self.subresources if s.name == name), None)
