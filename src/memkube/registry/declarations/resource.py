"""The declaration of a served resource: all that routing, discovery and the store need to know about a kind.

The parts that only writes need (model, strategy, hooks) may be :class:`memkube.registry.declarations.lazy.Lazy`.
"""

from base64 import b64encode
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from memkube.apimachinery.errors import GroupResource
from memkube.apimachinery.forms import Form, ModelForm, StructuralForm
from memkube.apimachinery.managed_fields import OtherVersion
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.unstructured import Unstructured
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.schema import StructSchema
from memkube.apimachinery.shown_values import quoted
from memkube.registry.declarations.interface import Computed, Connector, Creator, View
from memkube.registry.declarations.lazy import Deferred, Lazy, LazyPackage
from memkube.registry.declarations.strategy import Strategy
from memkube.registry.declarations.table import NAME_AND_AGE, TablePrinter
from memkube.registry.objects.conversion import Convert

if TYPE_CHECKING:
    from memkube.apimachinery.structural import StructuralSchema
    from memkube.registry.declarations.custom_versions import CustomVersions

ALL_VERBS: Final = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
_CHANGES: Final = ("get", "patch", "update")
NOT_SUPPORTED: Final = "field label not supported: {}"
"""Error of most kinds that can be selected by more fields than their name and namespace."""

ReadFields: TypeAlias = Callable[[Document], Mapping[str, str]]
"""Returns the values of an object's selectable fields, by their labels. A field that is left out is empty."""


def metadata_fields(document: Document) -> Mapping[str, str]:
    """Return the fields by which the objects of every kind can be selected."""
    metadata = document["metadata"]
    return {"metadata.name": metadata.get("name", ""), "metadata.namespace": metadata.get("namespace", "")}


@dataclass(frozen=True, eq=False)
class ObjectSubresource:
    """A subresource that reads, replaces and patches one part of the object (``status``)."""

    name: str
    strategy: Deferred[Strategy[Any]] = Deferred()
    """Strategy of updates through this subresource."""
    verbs: tuple[str, ...] = _CHANGES
    tabular: bool = True
    """True if its answers are available as a Table."""


@dataclass(frozen=True, eq=False)
class ViewSubresource:
    """A subresource that reads, replaces and patches the object in the form of another kind (``scale``)."""

    name: str
    shown: "Resource"
    """The kind that the view shows. Its strategy validates a change before the change is put back."""
    view: Deferred[View] = Deferred()
    verbs: tuple[str, ...] = _CHANGES
    tabular: bool = True
    """True if its answers are available as a Table."""


@dataclass(frozen=True, eq=False)
class CreateSubresource:
    """A subresource whose POST acts on the object and stores nothing of its own (``binding``, ``eviction``)."""

    name: str
    kind: str
    model: Deferred[type[ApiModel]] = Deferred()
    create: Deferred[Creator] = Deferred()
    """Handles a POST."""
    group: str = ""
    """Group of the kind, if `version` is set; otherwise group and version are those of the resource."""
    version: str = ""
    """Version of the kind; empty for that of the resource."""
    accepted_versions: tuple[str, ...] = ()
    """Further apiVersions that a body may have."""
    verbs: tuple[str, ...] = ("create",)
    tabular: bool = False
    """True if its answers are available as a Table."""


@dataclass(frozen=True, eq=False)
class ConnectSubresource:
    """A subresource that connects the client to something behind the object (``log``, ``exec``)."""

    name: str
    verbs: tuple[str, ...]
    methods: tuple[str, ...]
    """The HTTP methods that connect."""
    connect: Deferred[Connector] = Deferred()
    options: Deferred[type[ApiModel]] = Deferred()
    """Model of the query."""
    options_kind: str = ""
    """Kind that discovery lists; empty for the kind of the resource."""
    produces: tuple[str, ...] = ()
    """Media types of a text that an Accept header may name."""
    has_path: bool = False
    """True if a further path may follow the name of the subresource."""
    tabular: bool = False
    """True if its answers are available as a Table."""


Subresource: TypeAlias = ObjectSubresource | ViewSubresource | CreateSubresource | ConnectSubresource
"""A path below the name of an object."""


def status_subresource(strategy: Strategy[Any] | Lazy[Strategy[Any]]) -> ObjectSubresource:
    """Return the ``status`` subresource of a kind."""
    return ObjectSubresource("status", strategy)


@dataclass(frozen=True, eq=False)
class FieldSelection:
    """The fields by which field selectors can select the objects of a kind."""

    read: Deferred[ReadFields] = Deferred(metadata_fields)
    labels: Collection[str] = frozenset({"metadata.name", "metadata.namespace"})
    """Labels that a field selector may name. For a custom kind, in the order of its definition."""
    unsupported: str = '"{}" is not a known field selector: only "metadata.name", "metadata.namespace"'
    """Error for any other label, which replaces ``{}``, or in quotes ``{quoted}``."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Labels by their old names."""
    indexed: tuple[str, ...] = ()
    """Labels that storage indexes from the start; others are indexed once a list has selected by them."""

    def refusal(self, label: str) -> str:
        """Return the error for a label that the kind does not support."""
        return self.unsupported.format(label, quoted=quoted(label))


@dataclass(frozen=True, slots=True)
class ListForm:
    """How the objects of a kind are listed and watched, if it differs from other kinds."""

    kind: str = ""
    """Kind of a list; empty for the kind of the objects with ``List`` appended."""
    row_order: Callable[[Document], Any] | None = None
    """Sort key of the rows of a Table; None for the order of the list."""
    watch_cached: bool = True
    """True if the reference has a watch cache for the kind (``DefaultWatchCacheSizes``).

    A watch cache sends bookmarks, and ignores the limit of a list with resourceVersion 0.
    """


@dataclass(frozen=True, eq=False)
class StoredForm:
    """The resource as whose objects the objects of another resource are stored, such as its storage version.

    An object that is written through either resource can be read through both.
    """

    resource: "Resource"
    to_stored: Deferred[Convert] = Deferred()
    from_stored: Deferred[Convert] = Deferred()
    lasts: Callable[[Document], bool] | None = None
    """Returns True for a stored object whose conversion always has the same result; None if all have."""
    is_printed: bool = False
    """True if Tables print the stored form, which tells more than the served one."""


@dataclass(frozen=True, slots=True)
class StorageForm:
    """How the objects of a kind are stored, if it differs from other kinds."""

    form: StoredForm | None = None
    """The resource as which the objects are stored, if it is another one."""
    time_to_live: timedelta | None = None
    """Time after the last write at which an object expires; None if it never does."""
    prefix: str = ""
    """Prefix of the keys in the reference's etcd, which its messages name; empty for the plural."""
    hashed_version: str = ""
    """Version in the storage version hash, if the reference hashes another one than it stores."""


@dataclass(frozen=True, slots=True)
class Refusals:
    """Errors that the reference always answers certain writes of a kind with, because it cannot decode its objects."""

    body: str = ""
    """Error for every body."""
    apply: str = ""
    """Error (500) for every applied configuration."""


@dataclass(frozen=True, eq=False)
class Resource:
    """One version of a kind that the server serves.

    A built-in kind has a model. The objects of a custom kind are :class:`Unstructured`, with a structural schema.
    """

    group: str
    version: str
    kind: str
    plural: str
    singular: str = ""
    """Singular name; by default the kind in lower case."""
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    model: Deferred[type[ApiObject]] = Deferred(Unstructured)
    strategy: Deferred[Strategy[Any]] = Deferred(Lazy("memkube.registry.declarations.strategy:Strategy()"))
    printer: Deferred[TablePrinter] = Deferred(NAME_AND_AGE)
    subresources: tuple[Subresource, ...] = ()
    fields: FieldSelection = FieldSelection()
    lists: ListForm = ListForm()
    stored: StorageForm = StorageForm()
    answer: Deferred[Creator | None] = Deferred(None)
    """Handles a POST to the collection, for a kind whose objects are not stored."""
    computed: Deferred[Computed | None] = Deferred(None)
    """Makes the objects on every read, for a kind whose objects are not stored."""
    structural: "StructuralSchema | None" = None
    """Schema of a custom kind, by which bodies are pruned, defaulted and validated."""
    versions: "CustomVersions | None" = None
    """All versions of a custom kind, between which its objects are converted."""
    other_versions: Mapping[str, Lazy[OtherVersion]] = field(default_factory=dict)
    """Other versions with other fields, by apiVersion. A write updates the managedFields in these versions too."""
    internal_annotations: frozenset[str] = frozenset()
    """Annotations that are fields in the reference's internal type, and are missing in PartialObjectMetadata."""
    deprecation: str = ""
    """Text of the Warning header of every answer, if the kind is deprecated."""
    refusals: Refusals = Refusals()
    holds_namespaces: bool = False
    """True if its objects are the namespaces of other objects."""

    def __post_init__(self) -> None:
        if not self.singular:
            object.__setattr__(self, "singular", self.kind.lower())

    @cached_property
    def api_version(self) -> str:
        """The ``apiVersion`` of its objects."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def kind_of_lists(self) -> str:
        """The ``kind`` of its lists."""
        return self.lists.kind or f"{self.kind}List"

    @property
    def keeps_objects(self) -> bool:
        """True if its objects can be read, and are not answers to a POST alone."""
        return "get" in self.verbs or "list" in self.verbs

    @property
    def is_computed(self) -> bool:
        """True if its objects are made on every read."""
        return self.__dict__["computed"] is not None

    @cached_property
    def storage_version_hash(self) -> str:
        """The ``storageVersionHash`` in discovery: a digest of stored group, version and kind. Empty if not stored."""
        if not self.keeps_objects or self.is_computed:
            return ""
        stored = self.stored_as
        name = f"{stored.group}/{stored.stored.hashed_version or stored.version}/{stored.kind}"
        return b64encode(sha256(name.encode()).digest()[:8]).decode()

    @property
    def stored_as(self) -> "Resource":
        """The resource as whose objects its objects are stored, which messages name as well."""
        return self.stored.form.resource if self.stored.form else self

    @cached_property
    def group_resource(self) -> GroupResource:
        """The name of the served resource in messages, even if its objects are stored as another resource."""
        return GroupResource(self.group, self.plural)

    @cached_property
    def schema(self) -> StructSchema:
        """The schema of its objects."""
        return self.form.struct

    @cached_property
    def key_prefix(self) -> str:
        """The prefix of its keys in storage."""
        return f"/{self.stored_as.group or 'core'}/{self.stored_as.plural}/"

    @cached_property
    def form(self) -> Form[ApiObject]:
        """The form into which its objects are decoded."""
        return ModelForm(self.model) if self.structural is None else StructuralForm(self.structural)

    def metadata_alone(self, document: Document) -> Document:
        """Return the metadata of an object as PartialObjectMetadata shows them."""
        metadata: Document = document["metadata"]
        annotations = metadata.get("annotations")
        if not annotations or self.internal_annotations.isdisjoint(annotations):
            return metadata
        rest = {name: value for name, value in annotations.items() if name not in self.internal_annotations}
        return {n: rest if n == "annotations" else v for n, v in metadata.items() if rest or n != "annotations"}

    def subresource(self, name: str) -> Subresource | None:
        """Return the subresource of that name, or None."""
        return next((s for s in self.subresources if s.name == name), None)

    def strategy_of(self, subresource: Subresource | None) -> Strategy[Any]:
        """Return the strategy of updates through a subresource, or of the object itself."""
        return subresource.strategy if isinstance(subresource, ObjectSubresource) else self.strategy

    def having(self, *subresources: Subresource) -> "Resource":
        """Return this resource with further subresources, which other packages declare."""
        fields = {name: self.__dict__[name] for name in self.__dataclass_fields__}
        return Resource(**{**fields, "subresources": (*self.subresources, *subresources)})


def review(group: str, package: LazyPackage, kind: str, answer: str, *, namespaced: bool = False) -> Resource:
    """Return a kind of reviews, which are answered by POST and never stored, in version v1 of a group.

    The package has the model in ``types``, and the function named `answer`, which handles a POST, in ``answers``.
    """
    return Resource(
        group=group,
        version="v1",
        kind=kind,
        plural=f"{kind.lower()}s",
        namespaced=namespaced,
        verbs=("create",),
        model=package(f"types:{kind}"),
        answer=package(f"answers:{answer}"),
    )
