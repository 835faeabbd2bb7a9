"""Protocols through which hooks of kinds, admission plugins and controllers use the registry.

A resource names hooks, a hook uses stores, and a store has a resource: these protocols avoid the circle of imports.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apimachinery.query import Query
from memkube.registry.declarations.kind_services import KindServices
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import ListOptions, WriteContext
from memkube.registry.declarations.streaming import Connection
from memkube.registry.objects.stored import ObjectList, StoredObject
from memkube.time.clock import Clock

Finish: TypeAlias = Callable[[bool], Awaitable[None]]
"""Ends what a hook began: True if the write succeeded, False if not (the reference's FinishFunc)."""
Change: TypeAlias = Callable[[Any], None]
"""Changes an object in place. Called again on the newest revision after a conflict."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """The result of a DELETE: the last revision of the object, and True if it was removed."""

    last: StoredObject
    gone: bool


class ObjectStore(Protocol):
    """The verbs on objects of one resource: see :class:`memkube.registry.store.Store`."""

    @property
    def clock(self) -> Clock:
        """The clock of the server."""

    async def get(self, namespace: str, name: str, resource_version: str = "") -> StoredObject:
        """Return the newest revision of an object. Raises ApiError 404 if it does not exist."""

    async def list(self, namespace: str, options: ListOptions) -> ObjectList:
        """Return the selected objects, sorted by namespace and name.

        Raises ApiError 400 for invalid options, 410 for a compacted revision, and 504 for a future one.
        """

    async def create(self, obj: Any, context: WriteContext) -> StoredObject:
        """Store a new object. Raises ApiError if it is refused."""

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
        """Change the newest revision of an object as a client would.

        `uid` is a precondition. If `owned` is False, the change has no owner in managedFields. Raises ApiError 404 if
        the object does not exist, and other errors if the change is refused.
        """

    async def apply_forcibly(
        self, name: str, fields: Document, context: WriteContext, *, subresource: str = ""
    ) -> StoredObject:
        """Apply some fields of an object by server-side apply, and take them from other managers (KEP-555).

        Raises ApiError if the change is refused.
        """

    async def guaranteed_update(
        self,
        name: str,
        change: Change,
        context: WriteContext,
        check: Callable[[StoredObject], Awaitable[None]] | None = None,
    ) -> StoredObject:
        """Change the newest revision of an object without strategy and admission.

        `check` runs before each attempt, and raises ApiError to refuse the change. Raises ApiError 404 if the object
        does not exist.
        """

    async def delete(self, name: str, options: DeleteOptions, context: WriteContext) -> Deletion:
        """Delete an object, or mark it as terminating.

        Raises ApiError 404 if it does not exist, 409 if a precondition fails, and other errors if the deletion is
        refused.
        """

    async def admit_deletion(self, stored: StoredObject, context: WriteContext) -> None:
        """Ask admission whether an object may be deleted. Raises ApiError if it may not."""

    def check_uid(self, current: StoredObject, uid: str | None, *, dry_run: bool = False) -> None:
        """Raises ApiError 409 if `uid`, a precondition, is set and differs from that of the stored object."""

    def precondition_failed(self, current: StoredObject, why: str, *, dry_run: bool = False) -> ApiError:
        """Return the 409 error of the reference's storage for a failed precondition."""


class Stores(Protocol):
    """The stores of a server: see :class:`Registry`."""

    @property
    def clock(self) -> Clock:
        """The clock of the server."""

    def check_kind(self, expected: KindName, api_version: str, kind: str) -> KindName:
        """Return the kind that an object names.

        Raises WrongKind if the reference cannot convert it into the expected kind.
        """

    def generated_name(self, base: str) -> str:
        """Return a name that begins with `base` and ends with a random suffix."""

    def find(self, group: str, version: str, plural: str) -> ObjectStore:
        """Return the store of a served resource. Raises KeyError if the resource is not served."""

    @property
    def kind_services(self) -> KindServices:
        """The parts of the server that hooks of single kinds use."""


@dataclass(frozen=True, slots=True)
class Created:
    """The answer to a POST that stores no object itself: a Status or an object, and the HTTP status code."""

    document: Document
    code: int = 201


class Creator(Protocol):
    """Handles a POST to a subresource, or to a collection that stores no objects (the reference's NamedCreater)."""

    async def __call__(self, stores: Stores, name: str, obj: Any, context: WriteContext) -> Created:
        """Act on the object `name` in ``context.namespace``. Raises ApiError if the action is refused."""


class Connector(Protocol):
    """Connects a client to something behind a subresource that serves no object (the reference's Connecter)."""

    async def __call__(self, stores: Stores, namespace: str, name: str, query: Query) -> Connection:
        """Open the connection. Raises ApiError if it is refused."""


class View(ABC):
    """Shows the objects of one resource as objects of another kind."""

    @abstractmethod
    def show(self, document: Document) -> Document:
        """Return an object as the view shows it, with its name, uid and resourceVersion and without managedFields."""

    def show_for_change(self, document: Document) -> Document:
        """Return an object as the view shows it to a writer."""
        return self.show(document)

    def show_to_admission(self, document: Document) -> Document:
        """Return an object as validating admission sees it, before or after a change."""
        return self.show(document)

    @abstractmethod
    def owners(self, document: Document) -> list[Document]:
        """Return the managedFields of the object as the view shows it."""

    @abstractmethod
    def put_back(self, shown: Any, current: Document) -> Document:
        """Return the object `current` with the changes made in `shown`, including its managedFields."""


class Computed(Protocol):
    """Makes the objects of a kind that are not stored, on every read."""

    async def one(self, stores: Stores, name: str) -> Document:
        """Return the object of that name. Raises ApiError 404 if there is none."""

    async def all(self, stores: Stores) -> Sequence[Document]:
        """Return every object, sorted by name."""


class InformerSync(Protocol):
    """Tells whether the caches of the controllers' informers are complete."""

    def unsynced(self) -> Sequence[str]:
        """Return the resources whose objects are not cached yet."""


class DefinitionSync(Protocol):
    """Tells whether the kinds of all CustomResourceDefinitions are served."""

    def unserved(self) -> Sequence[str]:
        """Return the definitions that existed at the start and are not served yet."""

    async def caught_up(self, group: str, plural: str) -> bool:
        """Return True if a kind that another server has just defined is served now."""


class OpenIdProvider(Protocol):
    """OpenID Connect Discovery for the tokens of this server."""

    @property
    def is_discoverable(self) -> bool:
        """True if the issuer is a URL."""

    async def configuration(self, jwks_uri: str) -> Document:
        """Return the metadata of the provider. `jwks_uri` is the address of the keys if no other is configured."""

    async def key_set(self) -> Document:
        """Return the public keys as a JSON Web Key Set."""


class LeaderElection(Protocol):
    """LeaderElection election among the servers on one storage. The leader runs the controllers and the pods."""

    @property
    def is_follower(self) -> bool:
        """True if another server leads, as far as this server knows."""

    async def leader_url(self) -> str:
        """Return the URL of the other server that leads; empty if none is known."""

    async def stop(self) -> None:
        """Stop leading, so that another server can become the leader."""
