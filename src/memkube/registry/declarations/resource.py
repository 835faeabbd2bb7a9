"""The declaration of a served resource, for routing, discovery and the store.

The parts of a declaration that only writes need (model, strategy, hooks) may be
:class:`memkube.registry.declarations.lazy.Lazy`.
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
from memkube.registry.declarations.kinds import KindName
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
"""Error message for a field selector with an unsupported field, for most kinds that declare selectable fields."""

ReadFields: TypeAlias = Callable[[Document], Mapping[str, str]]
"""Function that returns the values of an object's selectable fields, by field path.

The value of a missing field is "".
"""


def metadata_fields(document: Document) -> Mapping[str, str]:
    """Return the selectable fields of every kind: ``metadata.name`` and ``metadata.namespace``."""
    metadata = document["metadata"]
    return {"metadata.name": metadata.get("name", ""), "metadata.namespace": metadata.get("namespace", "")}


@dataclass(frozen=True, eq=False)
class ObjectSubresource:
    """A subresource by which clients get, update and patch a part of the object, such as ``status``."""

    name: str
    strategy: Deferred[Strategy[Any]] = Deferred()
    """Strategy for updates of the object through this subresource."""
    verbs: tuple[str, ...] = _CHANGES
    tabular: bool = True
    """True if a client can request the response as a Table."""


@dataclass(frozen=True, eq=False)
class ViewSubresource:
    """A subresource by which clients get, update and patch the object in another kind, such as ``scale``."""

    name: str
    shown: "Resource"
    """Resource of the kind in which clients see the object, such as Scale. Its strategy validates the changes."""
    view: Deferred[View] = Deferred()
    verbs: tuple[str, ...] = _CHANGES
    tabular: bool = True
    """True if a client can request the response as a Table."""


@dataclass(frozen=True, eq=False)
class CreateSubresource:
    """A subresource for POST whose body is a request, not an object to store, such as ``binding`` or ``eviction``."""

    name: str
    kind: str
    model: Deferred[type[ApiModel]] = Deferred()
    create: Deferred[Creator] = Deferred()
    """Handler of POST requests to this subresource."""
    group: str = ""
    """Group of the body's kind, if `version` is set; otherwise the body has the group and version of the resource."""
    version: str = ""
    """Version of the body's kind; empty if it is that of the resource."""
    accepted_versions: tuple[str, ...] = ()
    """apiVersions that the server accepts in the body in addition to the declared one."""
    verbs: tuple[str, ...] = ("create",)
    tabular: bool = False
    """True if a client can request the response as a Table."""


@dataclass(frozen=True, eq=False)
class ConnectSubresource:
    """A subresource that connects the client to a container or server, such as ``exec``, ``log`` or ``proxy``."""

    name: str
    verbs: tuple[str, ...]
    methods: tuple[str, ...]
    """HTTP methods with which clients open a connection."""
    connect: Deferred[Connector] = Deferred()
    options: Deferred[type[ApiModel]] = Deferred()
    """Pydantic model of the subresource's query parameters, such as PodExecOptions."""
    options_kind: str = ""
    """Kind of the subresource in discovery; empty if it is the kind of the resource."""
    produces: tuple[str, ...] = ()
    """Media types of the response that clients can request in an Accept header."""
    has_path: bool = False
    """True if the URL can continue after the name of the subresource, as in ``proxy/metrics``."""
    tabular: bool = False
    """True if a client can request the response as a Table."""


Subresource: TypeAlias = ObjectSubresource | ViewSubresource | CreateSubresource | ConnectSubresource
"""A subresource of any sort: clients update the object, create something, or open a connection through it."""


def status_subresource(strategy: Strategy[Any] | Lazy[Strategy[Any]]) -> ObjectSubresource:
    """Return the ``status`` subresource of a kind, whose writes follow `strategy`."""
    return ObjectSubresource("status", strategy)


@dataclass(frozen=True, eq=False)
class FieldSelection:
    """The fields by which field selectors can select objects of a kind."""

    read: Deferred[ReadFields] = Deferred(metadata_fields)
    labels: Collection[str] = frozenset({"metadata.name", "metadata.namespace"})
    """Paths of the supported fields. For a custom kind, they are in the order of the CustomResourceDefinition."""
    unsupported: str = '"{}" is not a known field selector: only "metadata.name", "metadata.namespace"'
    """Error message for an unsupported field.

    ``{}`` is replaced by the path of the field, and ``{quoted}`` by the path in quotes.
    """
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Supported field path for each deprecated path of the same field."""
    indexed: tuple[str, ...] = ()
    """Fields that the storage indexes from the start.

    All other fields are indexed after the first list that selects by them.
    """

    def refusal(self, label: str) -> str:
        """Return the error message for the field `label`, which field selectors of the kind do not support."""
        return self.unsupported.format(label, quoted=quoted(label))


@dataclass(frozen=True, slots=True)
class ListForm:
    """Properties of the lists, tables and watches of a kind: kind of its lists, order of rows, and watch cache."""

    kind: str = ""
    """Kind of lists of the objects; if empty, ``List`` is appended to the kind of the objects."""
    row_order: Callable[[Document], Any] | None = None
    """Function that returns the sort key of an object for the rows of a Table; None to keep the order of the list."""
    watch_cached: bool = True
    """True if kube-apiserver has a watch cache for the kind (``DefaultWatchCacheSizes``).

    With a watch cache, watches send bookmarks, and a list with resourceVersion 0 ignores the limit.
    """
    bookmark_spec: Document = field(default_factory=dict)
    """Fields of ``spec`` that bookmarks have in addition to an empty object.

    kube-apiserver writes them because it converts the empty object from its internal Go type.
    """
    bookmark_annotations: Mapping[str, str] = field(default_factory=dict)
    """Annotations that bookmarks have, because kube-apiserver converts the empty object from its internal Go type."""


@dataclass(frozen=True, eq=False)
class StoredForm:
    """The resource whose version the stored objects have, and the functions that convert objects to it and back.

    This resource is the storage version of the kind; it may also be in another group. Clients can read and write the
    same objects through both resources.
    """

    resource: "Resource"
    to_stored: Deferred[Convert] = Deferred()
    from_stored: Deferred[Convert] = Deferred()
    may_cache: Callable[[Document], bool] | None = None
    """Function that takes a stored object, and returns True if the result of its conversion may be cached.

    None if all results may be cached, because no webhook converts the objects.
    """
    is_printed: bool = False
    """True if Tables are printed from the stored object, because the served object lacks some of the fields."""
    is_lossless: bool = False
    """True if an object that is converted to the stored version and back is the same object again.

    A new object is then not converted back: few clients read the Events that controllers create in this version.
    """


@dataclass(frozen=True, slots=True)
class StorageForm:
    """Properties of the storage of a kind: the resource as which it is stored, time to live, and key prefix."""

    form: StoredForm | None = None
    """The other resource as which objects are stored; None if they are stored as this resource."""
    time_to_live: timedelta | None = None
    """Time from the last write until an object expires; None if objects do not expire."""
    prefix: str = ""
    """First part of the objects' keys in kube-apiserver's etcd, which error messages contain; if empty, the plural."""
    hashed_version: str = ""
    """Version from which the storage version hash is computed; if empty, the version in which objects are stored."""
    has_hash: bool = True
    """False if discovery has no storage version hash, because the version in which objects are stored is not served."""


@dataclass(frozen=True, slots=True)
class Refusals:
    """Error messages with which kube-apiserver refuses writes of a kind that it cannot decode; empty if it can."""

    body: str = ""
    """Error message for every request with a body; empty if bodies can be decoded."""
    apply: str = ""
    """Message of the 500 error for every server-side apply; empty if apply works."""


@dataclass(frozen=True, eq=False)
class Resource:
    """One version of a kind that the server serves.

    A built-in kind has a Pydantic model. Objects of a custom kind are :class:`Unstructured`, with a structural schema.
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
    """Handler of POST requests to the collection, for a kind whose objects are not stored; None for other kinds."""
    computed: Deferred[Computed | None] = Deferred(None)
    """Computes the objects on every read, for a kind whose objects are not stored; None for other kinds."""
    structural: "StructuralSchema | None" = None
    """Structural schema by which objects of a custom kind are pruned, defaulted and validated; otherwise None."""
    versions: "CustomVersions | None" = None
    """All versions of a custom kind, between which objects are converted; None for built-in kinds."""
    other_versions: Mapping[str, Lazy[OtherVersion]] = field(default_factory=dict)
    """API versions of the kind that have other fields than this version.

    A write also updates the managedFields entries in these versions.
    """
    internal_annotations: frozenset[str] = frozenset()
    """Annotations that are fields in Kubernetes' internal Go type. PartialObjectMetadata does not contain them."""
    deprecation: str = ""
    """Deprecation warning, sent as a Warning header in every response; empty if the kind is not deprecated."""
    refusals: Refusals = Refusals()
    holds_namespaces: bool = False
    """True for the resource ``namespaces``."""

    def __post_init__(self) -> None:
        if not self.singular:
            object.__setattr__(self, "singular", self.kind.lower())

    @cached_property
    def api_version(self) -> str:
        """The ``apiVersion`` of the objects."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @cached_property
    def kind_name(self) -> KindName:
        """Group, version and kind of the objects."""
        return KindName(self.group, self.version, self.kind)

    @property
    def kind_of_lists(self) -> str:
        """The ``kind`` of a list of the objects, such as PodList."""
        return self.lists.kind or f"{self.kind}List"

    @property
    def keeps_objects(self) -> bool:
        """True if objects can be read. False for kinds that only answer POST requests, such as TokenReview."""
        return "get" in self.verbs or "list" in self.verbs

    @property
    def is_computed(self) -> bool:
        """True if objects are not stored, but computed on every read."""
        return self.__dict__["computed"] is not None

    @cached_property
    def storage_version_hash(self) -> str:
        """The ``storageVersionHash`` in discovery: a digest of the group, version and kind in which objects are stored.

        Empty if objects are not stored, or if the version in which they are stored is not served.
        """
        if not self.keeps_objects or self.is_computed or not self.stored.has_hash:
            return ""
        resource = self.stored_as
        name = f"{resource.group}/{resource.stored.hashed_version or resource.version}/{resource.kind}"
        return b64encode(sha256(name.encode()).digest()[:8]).decode()

    @property
    def stored_as(self) -> "Resource":
        """The resource as which objects are stored: this one, or that of another version or group."""
        return self.stored.form.resource if self.stored.form else self

    @cached_property
    def group_resource(self) -> GroupResource:
        """Group and plural of the served resource, for error messages.

        They are those of this resource even if objects are stored as another resource.
        """
        return GroupResource(self.group, self.plural)

    @cached_property
    def schema(self) -> StructSchema:
        """Schema by which the objects are decoded and patched, and by which server-side apply tracks their fields."""
        return self.form.struct

    @cached_property
    def key_prefix(self) -> str:
        """Prefix of the storage keys of all objects of the resource: ``/GROUP/PLURAL/``."""
        return f"/{self.stored_as.group or 'core'}/{self.stored_as.plural}/"

    @cached_property
    def form(self) -> Form[ApiObject]:
        """Decoder of the objects: into a Pydantic model or an Unstructured."""
        return ModelForm(self.model) if self.structural is None else StructuralForm(self.structural)

    def metadata_alone(self, document: Document) -> Document:
        """Return the metadata of an object as in PartialObjectMetadata."""
        metadata: Document = document["metadata"]
        annotations = metadata.get("annotations")
        if not annotations or self.internal_annotations.isdisjoint(annotations):
            return metadata
        rest = {name: value for name, value in annotations.items() if name not in self.internal_annotations}
        return {n: rest if n == "annotations" else v for n, v in metadata.items() if rest or n != "annotations"}

    def subresource(self, name: str) -> Subresource | None:
        """Return the subresource with this name, or None."""
        return next((s for s in self.subresources if s.name == name), None)

    def strategy_of(self, subresource: Subresource | None) -> Strategy[Any]:
        """Return the strategy for updates through `subresource`, or of the object if the subresource has none."""
        return subresource.strategy if isinstance(subresource, ObjectSubresource) else self.strategy

    def having(self, *subresources: Subresource) -> "Resource":
        """Return a copy of the resource that has `subresources` in addition to its own.

        Packages use this method to add subresources to resources that other packages declare.
        """
        fields = {name: self.__dict__[name] for name in self.__dataclass_fields__}
        return Resource(**{**fields, "subresources": (*self.subresources, *subresources)})


def review(group: str, package: LazyPackage, kind: str, answer: str, *, namespaced: bool = False) -> Resource:
    """Return the resource of a review kind, such as TokenReview, which only supports POST and is never stored.

    The module ``types`` of `package` contains the model, and its module ``answers`` the POST handler named `answer`.
    `namespaced` is True if requests name a namespace, as for LocalSubjectAccessReview.
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
