"""Protocols of the registry, for hooks of kinds, admission plugins and controllers.

These protocols avoid circular imports: a resource has hooks, hooks use stores, and each store has a resource.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apimachinery.query import Query
from memkube.registry.declarations.kind_services import KindServices
from memkube.registry.declarations.kinds import KindName, WrongKind
from memkube.registry.declarations.request_options import ListOptions, WriteContext
from memkube.registry.declarations.streaming import Connection
from memkube.registry.objects.stored import ObjectList, StoredObject
from memkube.time.clock import Clock

Finish: TypeAlias = Callable[[bool], Awaitable[None]]
"""Function that a hook such as ``begin_create`` returns, to end its reservation after the write (``FinishFunc``).

It is called with True if the write succeeded.
"""
Change: TypeAlias = Callable[[Any], None]
"""Function that changes an object in place. After a write conflict, it is called again with the newest revision."""


class Deletion(NamedTuple):
    """The result of a DELETE.

    `last` is the last revision of the object, and `gone` is True if the object was removed from storage.
    """

    last: StoredObject
    gone: bool


class ObjectStore(Protocol):
    """The operations on the objects of one resource: see :class:`memkube.registry.store.Store`."""

    @property
    def clock(self) -> Clock:
        """The server's clock, which is the source of all timestamps in objects."""

    async def get(self, namespace: str, name: str, resource_version: str = "") -> StoredObject:
        """Return the newest revision of an object, which must not be older than `resource_version` if that is given.

        Raises ApiError 404 if the object does not exist, 500 for a malformed resourceVersion, and 504 for a future one.
        """

    async def list(self, namespace: str, options: ListOptions) -> ObjectList:
        """Return the objects that match the selectors, sorted by namespace and name.

        Raises ApiError 400 for invalid options, 410 for a compacted revision, and 504 for a future revision.
        """

    async def create(self, obj: Any, context: WriteContext) -> StoredObject:
        """Store `obj`, and return its first revision.

        Raises ApiError 409 if another object has the name, and other errors if validation or admission rejects the
        object.
        """

    async def update(
        self,
        name: str,
        change: Change,
        context: WriteContext,
        *,
        subresource: str = "",
        uid: str | None = None,
        owned: bool = True,
    ) -> StoredObject:
        """Update an object as a client would: `change` modifies the object, then strategy and admission run.

        `change` takes a copy of the newest revision, and modifies it in place. If `subresource` is given, it is an
        update of this subresource. If `owned` is False, managedFields are not updated.

        Raises ApiError 404 if the object does not exist, 409 if `uid` is given and the object has another uid, and
        other errors if validation or admission rejects the change.
        """

    async def apply_forcibly(
        self, name: str, fields: Document, context: WriteContext, *, subresource: str = ""
    ) -> StoredObject:
        """Apply the configuration `fields` by server-side apply with ``force``, which takes fields from other managers.

        If `subresource` is given, it is applied to this subresource of the object `name`.

        Raises ApiError if validation or admission rejects the change.
        """

    async def guaranteed_update(
        self,
        name: str,
        change: Change,
        context: WriteContext,
        check: Callable[[StoredObject], Awaitable[None]] | None = None,
        *,
        replaces_spec: bool = False,
    ) -> StoredObject:
        """Update an object by `change`, which modifies a copy of the newest revision; skip strategy and admission.

        If another write happens at the same time, `change` is called again with the then newest revision. Before each
        attempt, `check` is called with the stored object, and may raise ApiError to prevent the change. If
        `replaces_spec` is True, the spec is not copied, so `change` must not modify it, but may replace it by another.
        Raises ApiError 404 if the object does not exist.
        """

    async def delete(self, name: str, options: DeleteOptions, context: WriteContext) -> Deletion:
        """Delete an object, or mark it as terminating if it has a grace period or finalizers.

        Raises ApiError 404 if the object does not exist, 409 if a precondition fails, and other errors if admission
        rejects the deletion.
        """

    async def admit_deletion(self, stored: StoredObject, context: WriteContext) -> None:
        """Run admission for the deletion of an object. Raises ApiError if a plugin rejects the deletion."""

    def check_uid(self, current: StoredObject, uid: str | None, *, dry_run: bool = False) -> None:
        """Raise ApiError 409 if the precondition `uid` is set and differs from the uid of the stored object `current`.

        The storage key in the message has no prefix ``/registry`` in a dry run.
        """

    def precondition_failed(self, current: StoredObject, why: str, *, dry_run: bool = False) -> ApiError:
        """Return the 409 error for a failed precondition on the stored object `current`; `why` describes the failure.

        The message is that of kube-apiserver's storage. It contains the storage key, which has no prefix ``/registry``
        in a dry run.
        """


class Stores(Protocol):
    """The stores of all resources of a server: see :class:`Registry`."""

    @property
    def clock(self) -> Clock:
        """The server's clock, which is the source of all timestamps in objects."""

    def check_kind(self, expected: KindName, api_version: str, kind: str) -> KindName:
        """Return the kind of an object with the fields apiVersion `api_version` and kind `kind`.

        Raises WrongKind if kube-apiserver cannot convert such an object to the kind `expected`.
        """

    def internal_kind_error(self, expected: KindName, kind: str) -> WrongKind:
        """Return the error for a patched object without apiVersion that has the kind `kind` instead of `expected`."""

    def plural_of(self, kind: KindName) -> str:
        """Return the plural of a served kind, such as ``configmaps``; empty if the kind is not served."""

    def generated_name(self, base: str) -> str:
        """Return a name that begins with `base` and ends with a random suffix."""

    def find(self, group: str, version: str, plural: str) -> ObjectStore:
        """Return the store of a served resource. Raises KeyError if the resource is not served."""

    @property
    def kind_services(self) -> KindServices:
        """Components of this server that hooks of certain kinds use, such as the issuer of service account tokens."""


class Created(NamedTuple):
    """Response to a POST that stores no object: a Status or an object, and the HTTP status code."""

    document: Document
    code: int = 201


class Creator(Protocol):
    """Handles a POST to a subresource, or to a collection that stores no objects (apiserver ``rest.NamedCreater``)."""

    async def __call__(self, stores: Stores, name: str, obj: Any, context: WriteContext) -> Created:
        """Handle the POST of `obj`, for the object `name` in ``context.namespace``.

        A handler that has an effect must first check `obj`, and then call ``context.validate_admission``, so that
        validating admission can still reject the request. If a handler does not call it, validating admission runs
        after the handler. Raises ApiError if the request fails.
        """


class Connector(Protocol):
    """Opens a connection to a container or server, for a subresource such as ``exec`` (``rest.Connecter``)."""

    async def __call__(self, stores: Stores, namespace: str, name: str, query: Query) -> Connection:
        """Open the connection for a request to the subresource of the object `name`; `query` has its query parameters.

        Raises ApiError if the connection cannot be opened.
        """


class View(ABC):
    """Converts objects of a resource to the kind of a subresource and back, for example a Deployment to a Scale."""

    @abstractmethod
    def show(self, document: Document) -> Document:
        """Return an object in the kind of the subresource, for example a Deployment as a Scale.

        The result has the object's name, uid and resourceVersion, but no managedFields.
        """

    def show_for_change(self, document: Document) -> Document:
        """Return the stored object in the kind of the subresource, to which a client's change is then applied."""
        return self.show(document)

    def show_to_admission(self, document: Document) -> Document:
        """Return an object in the kind that validating admission plugins get, such as Scale.

        Called for the stored object, and for the object with the client's change.
        """
        return self.show(document)

    @abstractmethod
    def owners(self, document: Document) -> list[Document]:
        """Return the managedFields of the object `document`, with their fields converted to the subresource's kind.

        For example, the entry for ``spec.replicas`` of a Deployment becomes one for ``spec.replicas`` of its Scale.
        """

    @abstractmethod
    def put_back(self, shown: Any, current: Document) -> Document:
        """Return the object `current` with the changes that a client made in the subresource.

        `shown` is the changed object in the kind of the subresource; changes of its managedFields are included.
        """


class Computed(Protocol):
    """Computes the objects of a kind on every read, instead of storing them."""

    async def one(self, stores: Stores, namespace: str, name: str) -> Document:
        """Return the object with this name. Raises ApiError 404 if the object does not exist."""

    async def all(self, stores: Stores, namespace: str, labels: LabelSelector | None) -> Sequence[Document]:
        """Return the objects of `namespace`, or of all namespaces if it is empty, sorted by namespace and name.

        `labels` is a hint. The result may contain objects that do not match, because the caller filters it again.
        """


class InformerSync(Protocol):
    """Tells the readiness check which informers of the controllers have not listed their objects yet."""

    def unsynced(self) -> Sequence[str]:
        """Return the names of the resources whose objects the informers have not listed yet."""


class DefinitionSync(Protocol):
    """Tells the readiness check which CustomResourceDefinitions are not served yet."""

    def unserved(self) -> Sequence[str]:
        """Return the names of CustomResourceDefinitions that the server found at its start and does not serve yet."""

    async def caught_up(self, group: str, plural: str) -> bool:
        """Return True if a custom kind is served.

        If another server has just created its definition, wait until this server has read the definition.
        """


class OpenIdProvider(Protocol):
    """OpenID Connect discovery for this server's service account tokens."""

    @property
    def is_discoverable(self) -> bool:
        """True if the issuer of the tokens is a URL, so that clients can find the discovery document."""

    async def configuration(self, jwks_uri: str) -> Document:
        """Return the OpenID Connect discovery document.

        `jwks_uri` is the URL of the public keys, unless another URL is configured.
        """

    async def key_set(self) -> Document:
        """Return the public keys of the token issuer as a JSON Web Key Set."""


class MetricResource(NamedTuple):
    """A metric that discovery lists as a resource of ``custom.metrics.k8s.io`` or ``external.metrics.k8s.io``."""

    name: str
    """Name of the resource: ``pods/METRIC``, ``ingresses.networking.k8s.io/METRIC``, or ``METRIC``."""
    namespaced: bool
    kind: str
    """Kind of the responses, such as MetricValueList."""


class CustomMetricQuery(NamedTuple):
    """A request for the values of a custom metric of one object, or of all objects (name ``*``)."""

    version: str
    namespace: str
    """Namespace of the objects; empty for objects without a namespace."""
    resource: str
    """Plural of the objects, with their group unless it is the core group: ``ingresses.networking.k8s.io``."""
    name: str
    metric: str
    labels: str
    """Label selector of the objects."""
    metric_labels: str
    """Label selector for the labels of the metric, as opposed to those of the objects."""


class MetricsApis(Protocol):
    """Custom and external metrics with their values, as a metrics adapter serves them."""

    def versions(self) -> Mapping[str, Sequence[str]]:
        """Return the versions of each metrics API group that is currently served."""

    def resources(self, group: str) -> Sequence[MetricResource]:
        """Return the metrics in a group, as resources for discovery."""

    async def custom(self, query: CustomMetricQuery) -> Document:
        """Return the values of a custom metric as a MetricValueList.

        Raises ApiError 404 for an unknown metric, and 400 for a malformed selector.
        """

    def external(self, namespace: str, metric: str, labels: str) -> Document:
        """Return the values of an external metric as an ExternalMetricValueList.

        Raises ApiError 400 for a malformed selector.
        """


class LeaderElection(Protocol):
    """Leader election among servers with the same storage. Only the leader runs controllers and simulates pods."""

    @property
    def is_follower(self) -> bool:
        """True if another server is the leader, according to the latest observation."""

    async def leader_url(self) -> str:
        """Return the URL of the leader; empty if this server is the leader, or if the leader or its URL is unknown."""

    async def stop(self) -> None:
        """Give up leadership, so that another server can become the leader."""
