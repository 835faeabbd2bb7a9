"""What hooks of kinds, admission plugins and controllers may ask of the registry: protocols alone.

Resources name their hooks, hooks use stores, and stores have a resource: this module is where that circle is cut.
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
"""Ends what a hook began: True where the write has come to be, False where it has not (the reference's FinishFunc)."""
Change: TypeAlias = Callable[[Any], None]
"""Changes an object that is its own. Called again on the newest revision after a conflict."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """What a DELETE came to: the object as it was last seen, and whether it is gone."""

    last: StoredObject
    gone: bool


class ObjectStore(Protocol):
    """The verbs on objects of one resource: see :class:`memkube.registry.store.Store`."""

    @property
    def clock(self) -> Clock:
        """The time."""

    async def get(self, namespace: str, name: str, resource_version: str = "") -> StoredObject:
        """The newest revision of an object. Raises ApiError 404."""

    async def list(self, namespace: str, options: ListOptions) -> ObjectList:
        """The selected objects by namespace and name. Raises ApiError 400, 410 and 504."""

    async def create(self, obj: Any, context: WriteContext) -> StoredObject:
        """Stores a new object. Raises ApiError."""

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
        """Changes the newest revision of an object as a client would; `uid` is a precondition. Raises ApiError.

        What the server does in its own name is not `owned` by anybody.
        """

    async def apply_forcibly(
        self, name: str, fields: Document, context: WriteContext, *, subresource: str = ""
    ) -> StoredObject:
        """Applies some fields of an object as the reference's controllers do, taking them from others (KEP-555).

        Raises ApiError.
        """

    async def guaranteed_update(
        self,
        name: str,
        change: Change,
        context: WriteContext,
        check: Callable[[StoredObject], Awaitable[None]] | None = None,
    ) -> StoredObject:
        """Changes the newest revision of an object in storage, past strategy and admission. Raises ApiError."""

    async def delete(self, name: str, options: DeleteOptions, context: WriteContext) -> Deletion:
        """Deletes an object, or leaves it terminating. Raises ApiError."""

    async def admit_deletion(self, stored: StoredObject, context: WriteContext) -> None:
        """Asks admission whether an object may be deleted. Raises ApiError."""

    def check_uid(self, current: StoredObject, uid: str | None, *, dry_run: bool = False) -> None:
        """Raises ApiError 409 where a precondition names another object than the stored one."""

    def precondition_failed(self, current: StoredObject, why: str, *, dry_run: bool = False) -> ApiError:
        """409 in the words of storage."""


class Stores(Protocol):
    """The stores of a server, and the parts that hooks of kinds use: see :class:`Registry`."""

    @property
    def clock(self) -> Clock:
        """The time."""

    def check_kind(self, expected: KindName, api_version: str, kind: str) -> KindName:
        """The kind that an object names, where it may be taken for the expected one. Raises WrongKind."""

    def generated_name(self, base: str) -> str:
        """A name that begins with `base` and ends with a random suffix."""

    def find(self, group: str, version: str, plural: str) -> ObjectStore:
        """The store of a resource that is known to be served. Raises KeyError."""

    @property
    def kind_services(self) -> KindServices:
        """The parts of the server that hooks of single kinds use."""


@dataclass(frozen=True, slots=True)
class Created:
    """The answer to a POST that stores nothing itself: a Status or an object, and its HTTP code."""

    document: Document
    code: int = 201


class Creator(Protocol):
    """What a POST to a subresource, or to a collection that keeps nothing, does (the reference's NamedCreater)."""

    async def __call__(self, stores: Stores, name: str, obj: Any, context: WriteContext) -> Created:
        """Acts on the object `name` of ``context.namespace``. Raises ApiError."""


class Connector(Protocol):
    """What a client reaches behind a subresource that serves no object (the reference's Connecter)."""

    async def __call__(self, stores: Stores, namespace: str, name: str, query: Query) -> Connection:
        """Opens the connection. Raises ApiError."""


class View(ABC):
    """How the objects of one resource look as objects of another kind."""

    @abstractmethod
    def show(self, document: Document) -> Document:
        """What is shown of an object. It has the object's name, uid and resourceVersion, and no managedFields."""

    def show_for_change(self, document: Document) -> Document:
        """What is shown of an object to whoever changes it."""
        return self.show(document)

    def show_to_admission(self, document: Document) -> Document:
        """What validating admission sees of an object, before and after a change."""
        return self.show(document)

    @abstractmethod
    def owners(self, document: Document) -> list[Document]:
        """The managedFields of what is shown."""

    @abstractmethod
    def put_back(self, shown: Any, current: Document) -> Document:
        """The object `current` with what was changed in `shown`, an object of the kind, managedFields included."""


class Computed(Protocol):
    """Makes the objects of a kind that are kept nowhere, whenever they are asked for."""

    async def one(self, stores: Stores, name: str) -> Document:
        """The object of that name. Raises ApiError 404."""

    async def all(self, stores: Stores) -> Sequence[Document]:
        """Every object, by name."""


class InformerSync(Protocol):
    """Whatever keeps copies of objects, such as the controllers' informers."""

    def unsynced(self) -> Sequence[str]:
        """The resources whose objects are not known yet."""


class DefinitionSync(Protocol):
    """Whoever serves the kinds that definitions define."""

    def unserved(self) -> Sequence[str]:
        """The definitions that were there at the start and are not served yet."""

    async def caught_up(self, group: str, plural: str) -> bool:
        """Whether a kind that is not served was defined by another server a moment ago, and is served now."""


class OpenIdProvider(Protocol):
    """What those who are shown a token of this server ask it about (OpenID Connect Discovery)."""

    @property
    def is_discoverable(self) -> bool:
        """Whether the issuer has a name that can be looked up."""

    async def configuration(self, jwks_uri: str) -> Document:
        """The provider's metadata, with `jwks_uri` where no other place of the keys is known."""

    async def key_set(self) -> Document:
        """The public keys, as a JSON Web Key Set."""


class Leader(Protocol):
    """Which of the servers on one storage runs the controllers and plays the pods."""

    @property
    def is_elsewhere(self) -> bool:
        """Whether that is not this server, as far as it knows."""

    async def leader_url(self) -> str:
        """Where the other one is reached that it is; empty where nobody is known to be."""

    async def stop(self) -> None:
        """Leads no more, and leaves that to others."""
