"""Shared documents other than objects, such as token keys, rules for simulated containers and listeners of Services.

They are stored beside the objects, under keys that no resource uses. They are thus as durable as the objects, and all
servers with the same storage share them. In Kubernetes, each server gets such data as files.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document
from memkube.registry.objects.stored import StoredObject
from memkube.storage.errors import KeyExists, KeyNotFound, RevisionCompacted, StorageClosed
from memkube.storage.interface import Storage

Follower: TypeAlias = Callable[[str, Document | None], None]
"""Callback with the name and the new value of a changed document; the value is None if the document was deleted."""
PREFIX: Final = "memkube/"
"""Prefix of the storage keys of shared documents.

It has no leading slash, so that lists and watches of objects do not contain the documents.
"""
_KIND: Final = {"kind": "State", "apiVersion": "memkube.dev/v1"}


class DocumentKey(NamedTuple):
    """Key of a shared document: its collection (such as ``listeners``), and its name in the collection."""

    collection: str
    name: str

    @property
    def storage_key(self) -> str:
        """Key of the document in the storage, which ends in ``COLLECTION/NAME``."""
        return f"{PREFIX}{self.collection}/{self.name}"

    @classmethod
    def of(cls, storage_key: str) -> "DocumentKey":
        """Return the DocumentKey for a storage key, which ends in ``COLLECTION/NAME``."""
        collection, _, name = storage_key.removeprefix(PREFIX).partition("/")
        return cls(collection, name)


class SharedState:
    """The documents that all servers with the same storage share, by collection (such as ``listeners``) and name.

    Reads use a local copy. It is loaded from the storage at the start, and updated shortly after another server has
    written a document.
    """

    def __init__(self, storage: Storage[StoredObject]) -> None:
        self._storage = storage
        self._known: dict[DocumentKey, Document] = {}
        self._revisions: dict[DocumentKey, int] = {}
        self._followers: dict[str, list[Follower]] = {}
        self._following: asyncio.Task[None] | None = None

    async def begin(self, *, shared: bool = False) -> None:
        """Load all shared documents from the storage.

        If the storage is `shared` with other servers, also watch for their writes.
        """
        revision = await self._list()
        if shared and self._following is None:
            self._following = asyncio.create_task(self._follow(revision))

    async def end(self) -> None:
        """Stop watching for shared documents that other servers write."""
        following, self._following = self._following, None
        if following is not None:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    def get(self, collection: str, name: str) -> Document | None:
        """Return the document with this collection and name, which must not be modified; None if it does not exist."""
        return self._known.get(DocumentKey(collection, name))

    def items(self, collection: str) -> dict[str, Document]:
        """Return all documents of a collection, by name."""
        return {key.name: self._known[key] for key in sorted(self._known) if key.collection == collection}

    def follow(self, collection: str, follower: Follower) -> Callable[[], None]:
        """Call `follower` now for each document of a collection, and later for each change of such a document.

        Return a function that ends these calls.
        """
        followers = self._followers.setdefault(collection, [])
        for name, value in self.items(collection).items():
            follower(name, value)
        followers.append(follower)
        return lambda: followers.remove(follower)

    async def put(self, collection: str, name: str, value: Document) -> None:
        """Store `value` as the document with this collection and name, for all servers that share the storage."""
        key = DocumentKey(collection, name)
        entry = _entry(name, value)

        async def replaced(_: StoredObject) -> StoredObject:
            return entry

        while True:
            with suppress(KeyExists):
                self._take(key, await self._storage.create(key.storage_key, entry))
                return
            with suppress(KeyNotFound):
                self._take(key, await self._storage.update(key.storage_key, replaced))
                return

    async def first(self, collection: str, name: str, value: Document) -> Document:
        """Store a document, unless one with this collection and name exists already. Return the stored document.

        If several servers call this at the same time, all get the document of the first one.
        """
        key = DocumentKey(collection, name)
        with suppress(KeyExists):
            self._take(key, await self._storage.create(key.storage_key, _entry(name, value)))
            return value
        return await self.newest(collection, name) or await self.first(collection, name, value)

    async def newest(self, collection: str, name: str) -> Document | None:
        """Return a shared document from the storage instead of the local copy; None if it does not exist."""
        key = DocumentKey(collection, name)
        with suppress(KeyNotFound):
            self._take(key, await self._storage.get(key.storage_key))
        return self._known.get(key)

    async def delete(self, collection: str, name: str) -> None:
        """Delete a shared document. Do nothing if the document does not exist."""
        key = DocumentKey(collection, name)
        with suppress(KeyNotFound):
            deleted = await self._storage.delete(key.storage_key)
            self._drop(key, int(deleted.resource_version))

    async def replace(self, collection: str, values: Mapping[str, Document]) -> None:
        """Replace all documents of a collection by `values`, keyed by name. Unchanged documents are not written."""
        known = self.items(collection)
        for name in sorted(known.keys() - values.keys()):
            await self.delete(collection, name)
        for name, value in values.items():
            if known.get(name) != value:
                await self.put(collection, name, value)

    def all(self) -> dict[DocumentKey, Document]:
        """Return all shared documents, keyed by collection and name."""
        return dict(self._known)

    async def write_again(self, known: Mapping[DocumentKey, Document]) -> None:
        """Store the shared documents `known` again, because the restore of a snapshot has removed them from storage."""
        self._revisions.clear()
        for key, value in known.items():
            await self.put(*key, value)

    async def _list(self) -> int:
        """Read all documents that the servers share, update the local copy, and return the revision of the read."""
        page = await self._storage.list(PREFIX)
        found = dict(zip(page.keys, page.values, strict=True))
        for key in self._known.keys() - {DocumentKey.of(storage_key) for storage_key in found}:
            self._drop(key, page.revision)
        for storage_key, stored in found.items():
            self._take(DocumentKey.of(storage_key), stored)
        return page.revision

    async def _follow(self, revision: int) -> None:
        """Update the local copy whenever another server writes a shared document, until the storage is closed."""
        watcher = self._storage.watch(PREFIX, after=revision)
        while True:
            try:
                for event in await watcher.next():
                    if event.type == "deleted":
                        self._drop(DocumentKey.of(event.key), event.revision)
                    else:
                        self._take(DocumentKey.of(event.key), event.value)
            except RevisionCompacted:
                watcher = self._storage.watch(PREFIX, after=await self._list())
            except StorageClosed:
                return

    def _take(self, key: DocumentKey, stored: StoredObject) -> None:
        revision, value = int(stored.resource_version), stored.document["value"]
        if revision <= self._revisions.get(key, 0):
            return
        self._revisions[key] = revision
        if self._known.get(key) != value:
            self._known[key] = value
            self._notify(key, value)

    def _drop(self, key: DocumentKey, revision: int) -> None:
        if revision <= self._revisions.get(key, 0):
            return
        # Events up to this revision are ignored from now on: the watch may deliver events that are older than this
        # server's last write of the document.
        self._revisions[key] = revision
        if self._known.pop(key, None) is not None:
            self._notify(key, None)

    def _notify(self, key: DocumentKey, value: Document | None) -> None:
        for follower in list(self._followers.get(key.collection, ())):
            follower(key.name, value)


def _entry(name: str, value: Document) -> StoredObject:
    return StoredObject({**_KIND, "metadata": {"name": name, "resourceVersion": ""}, "value": value})
