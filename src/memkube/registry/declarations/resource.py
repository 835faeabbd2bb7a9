"""A served resource, declared: everything that routing, discovery and the store need to know of a kind.

What only writes need (models, strategies, hooks) may be given as :class:`memkube.registry.declarations.lazy.Lazy`.
"""

from base64 import b64encode
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias

from memkube.apimachinery.errors import GroupResource
from memkube.apimachinery.forms import Form, ModelForm, StructuralForm
from memkube.apimachinery.managed_fields import OtherVersion
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.unstructured import Unstructured
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.schema import StructSchema
from memkube.registry.declarations.interface import Computed, Connector, Creator, View
from memkube.registry.declarations.lazy import Deferred, Lazy
from memkube.registry.declarations.strategy import Strategy
from memkube.registry.declarations.table import NAME_AND_AGE, TablePrinter
from memkube.registry.objects.conversion import Convert

if TYPE_CHECKING:
    from memkube.apimachinery.structural import StructuralSchema
    from memkube.registry.declarations.custom_versions import CustomVersions

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
_CHANGES = ("get", "patch", "update")

SelectableFields: TypeAlias = Callable[[Document], Mapping[str, str]]


def metadata_fields(document: Document) -> Mapping[str, str]:
    """The fields that every kind can be selected by."""
    metadata = document["metadata"]
    return {"metadata.name": metadata.get("name", ""), "metadata.namespace": metadata.get("namespace", "")}


def name_field(document: Document) -> Mapping[str, str]:
    """The fields that a cluster-scoped kind can be selected by."""
    return {"metadata.name": document["metadata"].get("name", "")}


@dataclass(frozen=True, eq=False)
class ObjectSubresource:
    """A part of the object: read, replaced and patched as the whole, of which nothing else changes (``status``)."""

    name: str
    strategy: Deferred[Strategy[Any]] = Deferred()
    """How updates of the object go through this path."""
    verbs: tuple[str, ...] = _CHANGES
    tabular: bool = True
    """Whether its answers can be had as a Table."""


@dataclass(frozen=True, eq=False)
class ViewSubresource:
    """The object as one of another kind, which is read, replaced and patched in its stead (``scale``)."""

    name: str
    shown: "Resource"
    """The kind that is shown. Its strategy's validation is asked before a change is put back."""
    view: Deferred[View] = Deferred()
    verbs: tuple[str, ...] = _CHANGES
    tabular: bool = True


@dataclass(frozen=True, eq=False)
class CreateSubresource:
    """An action: what POST is given is no object to be kept (``binding``, ``eviction``)."""

    name: str
    kind: str
    model: Deferred[type[ApiModel]] = Deferred()
    create: Deferred[Creator] = Deferred()
    """What POST does."""
    group: str = ""
    version: str = ""
    """Group and version of the kind, where they are not those of the resource."""
    accepted_versions: tuple[str, ...] = ()
    """Further apiVersions that bodies may carry."""
    verbs: tuple[str, ...] = ("create",)
    tabular: bool = False


@dataclass(frozen=True, eq=False)
class ConnectSubresource:
    """Something that a client connects to instead of reading an object (``log``, ``exec``)."""

    name: str
    verbs: tuple[str, ...]
    methods: tuple[str, ...]
    """The HTTP methods that connect."""
    connect: Deferred[Connector] = Deferred()
    options: Deferred[type[ApiModel]] = Deferred()
    """What the query may say."""
    options_kind: str = ""
    """The kind that discovery tells; that of the object if it is empty."""
    produces: tuple[str, ...] = ()
    """Media types of its text, which an Accept header may name."""
    has_path: bool = False
    """Whether any further path may follow."""
    tabular: bool = False


Subresource: TypeAlias = ObjectSubresource | ViewSubresource | CreateSubresource | ConnectSubresource
"""A path behind an object's name."""


def status_subresource(strategy: Strategy[Any] | Lazy[Strategy[Any]]) -> ObjectSubresource:
    """``status`` of a kind."""
    return ObjectSubresource("status", strategy)


@dataclass(frozen=True, eq=False)
class StoredForm:
    """Another resource whose objects are kept for this one too: written through either, they are read through both.

    Any number of resources may be kept as the same one.
    """

    resource: "Resource"
    to_stored: Deferred[Convert] = Deferred()
    from_stored: Deferred[Convert] = Deferred()
    lasts: Callable[[Document], bool] | None = None
    """Whether what a stored object is converted into is the same whenever it is read; None where all are."""


@dataclass(frozen=True, eq=False)
class Resource:
    """One version of a kind that the server keeps and serves.

    A kind has a model, or a schema, or both; without a model its objects are :class:`Unstructured`.
    """

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    model: Deferred[type[ApiObject]] = Deferred(Unstructured)
    strategy: Deferred[Strategy[Any]] = Deferred(Lazy("memkube.registry.declarations.strategy:Strategy()"))
    printer: Deferred[TablePrinter] = Deferred(NAME_AND_AGE)
    row_order: Callable[[Document], Any] | None = None
    """What the rows of a list's Table are sorted by, where they do not stand in the list's order."""
    structural: "StructuralSchema | None" = None
    """The schema of a custom kind: bodies are pruned, defaulted and checked by it."""
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    subresources: tuple[Subresource, ...] = ()
    selectable_fields: Deferred[SelectableFields] = Deferred(metadata_fields)
    selectable_labels: Collection[str] = frozenset({"metadata.name", "metadata.namespace"})
    """The field labels that field selectors may name; those of a custom kind as its definition lists them."""
    indexed_fields: tuple[str, ...] = ()
    """Fields that storage finds its objects by from the beginning; by others, since a list has asked for them."""
    field_label_aliases: Mapping[str, str] = field(default_factory=dict)
    """Old names of field labels."""
    unsupported_field_label: Callable[[str], str] = field(
        default=lambda label: f'"{label}" is not a known field selector: only "metadata.name", "metadata.namespace"'
    )
    """The reference's words for a field label that is not among them."""
    answer: Deferred[Creator | None] = Deferred(None)
    """What POST to the collection does, where it does not store an object."""
    computed: Deferred[Computed | None] = Deferred(None)
    """Where its objects come from, where they are not kept but made for each reader."""
    other_versions: Mapping[str, Lazy[OtherVersion]] = field(default_factory=dict)
    """Versions of the kind whose fields differ, by their apiVersion: what others own there may change with these."""
    versions: "CustomVersions | None" = None
    """All versions of a custom kind, whose objects are converted between them."""
    stored_form: StoredForm | None = None
    """For a version of objects that are kept in another one, or in another group."""
    time_to_live: timedelta | None = None
    """How long objects are kept after the last write to them; for ever if it is not set."""
    watch_cached: bool = True
    """Whether the reference keeps a watch cache of its objects (``DefaultWatchCacheSizes``), which has bookmarks for
    watches, and no pages where resourceVersion is 0."""
    annotations_of_fields: frozenset[str] = frozenset()
    """Annotations that are fields inside the reference; where it shows the metadata alone, they are not there."""
    deprecation: str = ""
    """What every answer warns of, where the kind is deprecated as a whole."""
    list_kind: str = ""
    """The kind of lists, where it is not that of the objects with List behind it."""
    told_version: str = ""
    """The version that discovery tells its objects to be kept in, where the reference tells another one."""
    storage_prefix: str = ""
    """Where the reference keeps its objects, as its messages tell; under the plural if it is not set."""
    fault_of_bodies: str = ""
    """What the reference says of every body that it cannot decode, where it fails to tell why."""
    fault_of_applies: str = ""
    """What it answers every applied configuration with, where it fails on them (500)."""
    holds_namespaces: bool = False
    """Whether its objects are the namespaces that other objects live in."""

    @cached_property
    def api_version(self) -> str:
        """What objects carry as apiVersion."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def kind_of_lists(self) -> str:
        """What lists carry as kind."""
        return self.list_kind or f"{self.kind}List"

    @property
    def keeps_objects(self) -> bool:
        """Whether objects are stored at all: questions are answered and forgotten."""
        return "get" in self.verbs or "list" in self.verbs

    @property
    def is_computed(self) -> bool:
        """Whether its objects are made for each reader."""
        return self.__dict__["computed"] is not None

    @cached_property
    def storage_version_hash(self) -> str:
        """Tells clients whether the stored version has changed: a digest of group, version and kind.

        Empty where nothing is stored.
        """
        if not self.keeps_objects or self.is_computed:
            return ""
        kept = self.kept_as
        name = f"{kept.group}/{kept.told_version or kept.version}/{kept.kind}"
        return b64encode(sha256(name.encode()).digest()[:8]).decode()

    @property
    def kept_as(self) -> "Resource":
        """The resource under whose name objects are kept; messages name it too."""
        return self.stored_form.resource if self.stored_form else self

    @cached_property
    def group_resource(self) -> GroupResource:
        """How messages name this resource: as it is served, even where another one keeps its objects."""
        return GroupResource(self.group, self.plural)

    @cached_property
    def schema(self) -> StructSchema:
        """The shape of its objects."""
        return self.form.struct

    @cached_property
    def key_prefix(self) -> str:
        """Where storage keeps its objects."""
        return f"/{self.kept_as.group or 'core'}/{self.kept_as.plural}/"

    @cached_property
    def form(self) -> Form[ApiObject]:
        """What its objects are decoded into."""
        return ModelForm(self.model) if self.structural is None else StructuralForm(self.structural)

    def metadata_alone(self, document: Document) -> Document:
        """The metadata of an object as it is shown without the rest (PartialObjectMetadata)."""
        metadata: Document = document["metadata"]
        annotations = metadata.get("annotations")
        if not annotations or self.annotations_of_fields.isdisjoint(annotations):
            return metadata
        rest = {name: value for name, value in annotations.items() if name not in self.annotations_of_fields}
        return {n: rest if n == "annotations" else v for n, v in metadata.items() if rest or n != "annotations"}

    def subresource(self, name: str) -> Subresource | None:
        """The subresource of that name, if there is one."""
        return next((s for s in self.subresources if s.name == name), None)

    def strategy_of(self, subresource: Subresource | None) -> Strategy[Any]:
        """How updates go through a path behind the object, or through the object's own."""
        return subresource.strategy if isinstance(subresource, ObjectSubresource) else self.strategy

    def having(self, *subresources: Subresource) -> "Resource":
        """This resource with further subresources, which other packages bring."""
        fields = {name: self.__dict__[name] for name in self.__dataclass_fields__}
        return Resource(**{**fields, "subresources": (*self.subresources, *subresources)})


def review(group: str, package: str, kind: str, answer: str, *, namespaced: bool = False) -> Resource:
    """A kind of questions that are asked by POST and never stored, in the first version of a group.

    The package has the model in ``types``, and what answers, by the name `answer`, in ``answers``.
    """
    return Resource(
        group=group,
        version="v1",
        kind=kind,
        plural=f"{kind.lower()}s",
        singular=kind.lower(),
        namespaced=namespaced,
        verbs=("create",),
        model=Lazy(f"{package}.types:{kind}"),
        answer=Lazy(f"{package}.answers:{answer}"),
    )
