"""The registry: gives Python code access to all objects of a server, with one store for each resource."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.faults.active import Asker
from memkube.registry.computed_store import ComputedStore
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.kind_services import KindServices
from memkube.registry.declarations.kinds import KindName, WrongKind
from memkube.registry.declarations.request_options import ListOptions
from memkube.registry.declarations.resource import Resource, Subresource, ViewSubresource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import Backend
from memkube.registry.reads.object_events import NewEvents, ObjectEvent, newest_events, oldest_revision
from memkube.registry.reads.stale_reads import StaleReads, storage_at
from memkube.registry.replicas.shared_state import PREFIX, SharedState
from memkube.registry.store import Store
from memkube.registry.view_store import ViewStore
from memkube.registry.writes.initial_objects import InitialObject
from memkube.storage.interface import Page, Saved
from memkube.time.clock import Clock, written_now

if TYPE_CHECKING:
    from memkube.faults.attributes import RequestAttributes
    from memkube.faults.effects import CloseWatch


class SavedObjects(NamedTuple):
    """All objects of a server at one revision, for a snapshot."""

    lineage: str
    """Identifier of the storage that assigned the revision. Revisions of different storages cannot be compared."""
    revision: int
    objects: Mapping[str, StoredObject]
    """Objects in the version in which they are stored, by keys of the form ``/GROUP/PLURAL/NAMESPACE/NAME``."""
    ends: Mapping[str, datetime]
    """Expiration time of each object with a time to live, by the keys of `objects`."""


class Registry:
    """The stores of all resources of a server.

    Python code in the server's process can use it instead of HTTP requests.
    """

    def __init__(
        self, catalog: Catalog, backend: Backend, shared_state: SharedState, kind_services: KindServices
    ) -> None:
        self.catalog = catalog
        self.backend = backend
        self.kind_services = kind_services
        """Services of the server for hooks of single kinds."""
        self.faults = backend.faults
        """The injected faults of the server."""
        self.shared_state = shared_state
        """Documents in storage other than objects, which all servers on the storage share."""
        self._stores: dict[tuple[str, str, str], Store] = {}
        self._restored: list[Callable[[Sequence[StoredObject]], None]] = []
        self._stopped: list[Callable[[], None]] = []
        catalog.on_change(self._close_unserved)
        self._stale_reads: StaleReads | None = None

    @property
    def clock(self) -> Clock:
        """The server's clock, which is the source of all timestamps in objects."""
        return self.backend.clock

    def store(self, resource: Resource) -> Store:
        """Return the store of a resource. As long as the resource is served, it is always the same store."""
        name = (resource.group, resource.version, resource.plural)
        store = self._stores.get(name)
        if store is None or store.resource is not resource:
            make = ComputedStore if resource.is_computed else Store
            store = make(resource, self._backend_of(resource), self)
            if self.catalog.is_served(resource):
                self._stores[name] = store
        return store

    def new_events(self) -> NewEvents:
        """Return a reader of the changes of all objects from now on."""
        return NewEvents(self.backend.storage)

    def subresource_store(self, resource: Resource, subresource: Subresource | None) -> Store:
        """Return the store that reads, updates and patches a subresource, or the object if `subresource` is None."""
        store = self.store(resource)
        return ViewStore(store, subresource) if isinstance(subresource, ViewSubresource) else store

    def find(self, group: str, version: str, plural: str) -> Store:
        """Return the store of a served resource. Raises KeyError if the resource is not served."""
        resource = self.catalog.find(group, version, plural)
        if resource is None:
            raise KeyError(f"{plural}.{version}.{group}")
        return self.store(resource)

    def as_read_by(
        self, asker: Asker, resource: Resource, subresource: Subresource | None, options: ListOptions
    ) -> Store:
        """Return the store for the GET or LIST request `asker`.

        If an injected fault makes the read stale, the store reads from an older revision. For a GET, `options` contain
        only the resourceVersion of the request.
        """
        store = self.subresource_store(resource, subresource)
        if self._stale_reads is None or resource.is_computed:
            return store
        revision = self._stale_reads.stale_revision(self.faults, asker, options)
        if not revision:
            return store
        past = Store(resource, storage_at(self._backend_of(resource), revision), self)
        return ViewStore(past, subresource) if isinstance(subresource, ViewSubresource) else past

    def check_kind(self, expected: KindName, api_version: str, kind: str) -> KindName:
        """Return the kind that the object's apiVersion and kind fields name: see :meth:`Catalog.check_kind`.

        Raises WrongKind if it is not the kind `expected`.
        """
        return self.catalog.check_kind(expected, api_version, kind)

    def internal_kind_error(self, expected: KindName, kind: str) -> WrongKind:
        """Return the error for a patched object without apiVersion that has the kind `kind` instead of `expected`."""
        return self.catalog.internal_kind_error(expected, kind)

    def resource_of(self, kind: KindName) -> Resource | None:
        """Return the resource of a served kind; None if the kind is not served."""
        return self.catalog.of_kind(kind)

    def plural_of(self, kind: KindName) -> str:
        """Return the plural of a served kind, such as ``configmaps``; empty if the kind is not served."""
        found = self.catalog.of_kind(kind)
        return found.plural if found is not None else ""

    def generated_name(self, base: str) -> str:
        """Return a name for an object with generateName `base`: `base`, cut if it is too long, with a random suffix."""
        return self.backend.generated_name(base)

    def new_uid(self) -> str:
        """Return a new uid (UUID version 4, RFC 9562)."""
        return self.backend.random_values.uid()

    async def start(self) -> None:
        """Open the storage. Raises StorageUnusable if it cannot be opened."""
        await self.backend.storage.start()

    async def count_objects(self) -> dict[tuple[str, str], int]:
        """Return the number of stored objects by group and plural."""
        counts: dict[tuple[str, str], int] = {}
        for kept in {
            one.key_prefix: one.stored_as for one in self.catalog if one.keeps_objects and not one.is_computed
        }.values():
            page = await self.backend.storage.list(kept.key_prefix, limit=1)
            counts[kept.group, kept.plural] = len(page.values) + page.remaining
        return counts

    async def storage_size(self) -> Mapping[str, int]:
        """Return the storage's size on disk in bytes, keyed by a label of the metric ``apiserver_storage_size_bytes``.

        The result is empty for a storage in memory, and if etcd does not answer.
        """
        return await self.backend.storage.size()

    async def kept_revisions(self) -> tuple[int, int]:
        """Return the oldest and the newest revision at which objects can be listed."""
        storage = self.backend.storage
        newest = await storage.current_revision()
        return await oldest_revision(storage), newest

    async def newest_events(self, after: int, until: int, most: int) -> list[ObjectEvent]:
        """Return the changes of objects with revisions above `after` and not above `until`, oldest first.

        If there are more than `most` such changes, only the newest ones are returned. Raises ApiError 410 if changes
        after `after` have been compacted.
        """
        return await newest_events(self.backend.storage, after, until, most)

    async def forget_history(self) -> int:
        """Compact the history up to the current revision, and return this revision.

        Reads and watches of older revisions then get a 410 error.
        """
        storage = self.backend.storage
        revision = await storage.current_revision()
        await storage.compact(revision)
        return revision

    def close_watches(self, effect: "CloseWatch", fits: Callable[["RequestAttributes"], bool]) -> int:
        """Close the open watches whose requests the function `fits` accepts. Return the number of these watches.

        `effect` is the effect of a fault and says how to close them.
        """
        watches = [watch for store in self._stores.values() for watch in store.watches()]
        return sum(watch.close_by(effect) for watch in watches if (asked := watch.asked()) and fits(asked))

    def on_restore(self, listener: Callable[[Sequence[StoredObject]], None]) -> None:
        """Call `listener` with all objects after each restore of a snapshot.

        It is also called when the server starts with a storage that already contains objects.
        """
        self._restored.append(listener)

    async def resume(self) -> bool:
        """Call the listeners of :meth:`on_restore` with the objects that the storage contains at the server's start.

        Return False if there are no objects.
        """
        found = await self.backend.storage.list("/")
        if not found.values:
            return False
        self._take_over(found)
        return True

    def _take_over(self, found: Page[StoredObject]) -> None:
        self.backend.random_values.continue_from(found.revision)
        for listener in self._restored:
            listener(found.values)

    async def store_initial(self, *objects: InitialObject) -> int:
        """Store initial objects of the server, in the order of the arguments, bypassing strategy and admission.

        Objects that exist already are skipped. Returns the number of objects stored. Raises KeyError if a resource is
        not served.
        """
        now, count = written_now(self.clock), 0
        found = [(self.find(*initial.resource), initial) for initial in objects]
        for storage, some in groupby(found, lambda one: one[0].backend.storage):
            values = {
                store.key(one.namespace, one.name): one.stored(store.resource, one.uid or self.new_uid(), now)
                for store, one in some
            }
            count += await storage.create_all(values)
        return count

    async def overwrite_initial(self, initial: InitialObject) -> None:
        """Overwrite a stored initial object with `initial`, bypassing strategy and admission.

        `initial` must have the uid of the stored object. Raises KeyError if the resource is not served.
        """
        store = self.find(*initial.resource)
        stored = initial.stored(store.resource, initial.uid, written_now(self.clock))

        async def replaced(_: StoredObject) -> StoredObject:
            return stored

        await store.backend.storage.update(store.key(initial.namespace, initial.name), replaced)

    async def save(self) -> SavedObjects:
        """Return all objects and their expiration times, for a snapshot. The objects are immutable and not copied."""
        saved = await self.backend.storage.save()
        objects = saved.values
        if self.shared_state.all():
            objects = {key: value for key, value in objects.items() if not key.startswith(PREFIX)}
        return SavedObjects(saved.lineage, saved.revision, objects, saved.ends)

    def check_restorable(self) -> None:
        """Raise ApiError 501 if the storage cannot replace all objects at once."""
        if not self.backend.storage.restorable:
            why = "cannot restore a snapshot into etcd: other servers may write to it at the same time"
            raise ApiError(501, "NotImplemented", why)

    async def restore(self, saved: SavedObjects) -> int:
        """Replace all objects by those of a snapshot: see :meth:`Storage.restore` for open watches and writes.

        Returns the number that was added to the revisions of the objects. It can differ from 0 only if another server
        saved the snapshot.
        """
        storage, state = self.backend.storage, self.shared_state.all()
        self.check_restorable()
        moved = await storage.restore(Saved(saved.lineage, saved.revision, saved.objects, saved.ends))
        await self.shared_state.write_again(state)
        self._take_over(await storage.list("/"))
        return moved

    def on_stop(self, listener: Callable[[], None]) -> None:
        """Call `listener` when the server has stopped."""
        self._stopped.append(listener)

    async def stop(self) -> None:
        """Close the storage, and call the listeners of :meth:`on_stop`, after the last request."""
        await self.backend.storage.stop()
        for listener in self._stopped:
            listener()
        self.close()

    def close(self) -> None:
        """Break reference cycles, so that a stopped server is freed without garbage collection."""
        for references in (self._stores, self._restored, self._stopped):
            references.clear()

    def end_requests(self) -> None:
        """End all watches and blocked reads, and remove all injected faults."""
        self.faults.clear(self.clock.now())
        for store in self._stores.values():
            store.end_requests()
        self.backend.storage.close()

    def _backend_of(self, resource: Resource) -> Backend:
        """Return the storage backend for a resource. It converts objects that are stored as another resource."""
        form = resource.stored.form
        return self.backend.converting(form) if form else self.backend

    def follow_faults(self) -> None:
        """From now on, apply injected faults to open watches and to reads as soon as the faults are added."""
        self.faults.on_change(self._faults_changed)

    def _faults_changed(self) -> None:
        for store in self._stores.values():
            for watch in store.watches():
                watch.interrupt()
        if self._stale_reads is None and self.faults.present:
            self._stale_reads = StaleReads(self.backend.storage, self.clock)
        if self._stale_reads is not None:
            self._stale_reads.follow(self.faults)

    def _close_unserved(self) -> None:
        """Close the stores of resources that are no longer served or whose declaration was replaced."""
        for name, store in list(self._stores.items()):
            if not self.catalog.is_served(store.resource):
                del self._stores[name]
                store.close()
