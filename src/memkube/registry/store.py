"""Reads, writes and watches of the objects of one resource, with the steps of kube-apiserver in its order.

All writes use a store: HTTP, controllers, admission plugins, evictions and bindings. Storage errors are converted to
API errors only in the registry. Source: apiserver ``endpoints/handlers``, ``registry/generic/registry``.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from weakref import WeakKeyDictionary

from memkube.apimachinery.errors import not_found
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import ApiModel, Document
from memkube.faults.active import MakeAsker
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.interface import Change, Created, Creator, Deletion
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import ListOptions, WatchOptions, WriteContext
from memkube.registry.declarations.resource import ConnectSubresource, CreateSubresource, Resource, Subresource
from memkube.registry.objects.stored import ObjectList, StoredObject
from memkube.registry.reads import listing
from memkube.registry.reads.collection import Backend, Collection, ServedStores, check_key_name
from memkube.registry.reads.revisions import requested_revision
from memkube.registry.reads.watching import ObjectWatch
from memkube.registry.writes import deletion
from memkube.registry.writes.applying import Applied
from memkube.registry.writes.creation import TooLarge, create_object
from memkube.registry.writes.defaulting import default_received
from memkube.registry.writes.metadata import (
    deduplicate_owners,
    fit_namespace,
    own_all,
    own_changes,
    wipe_system_fields,
    writer_of,
)
from memkube.registry.writes.patching import APPLY_PATCH, Patch, Patched
from memkube.registry.writes.updating import Build, Changed, Replaced, Update, UpdateOptions
from memkube.storage.errors import KeyNotFound, RevisionInFuture, StorageRestored
from memkube.storage.interface import Emptiness


class Store(Collection):
    """Reads and writes the objects of one resource.

    A caller that passes an object to a method must not use the object afterwards.
    """

    def __init__(self, resource: Resource, backend: Backend, stores: ServedStores) -> None:
        super().__init__(resource, backend, stores)
        self._watches: WeakKeyDictionary[ObjectWatch, None] = WeakKeyDictionary()

    @property
    def seen_revision(self) -> int:
        """Revision of the newest write, to objects of any resource, that this server has seen."""
        return self.backend.storage.seen

    async def get(self, namespace: str, name: str, resource_version: str = "") -> StoredObject:
        """Return the newest revision of an object.

        Raises ApiError 404 if the object does not exist, 500 for a malformed resourceVersion, and 504 for a future one.
        """
        at_least = requested_revision(resource_version) if resource_version else None
        try:
            return await self.backend.storage.get(self.key(namespace, name), at_least=at_least)
        except KeyNotFound:
            raise not_found(self.resource.group_resource, name) from None
        except RevisionInFuture as error:
            raise listing.too_large_version(error, cached=self.resource.lists.watch_cached) from None

    async def list(self, namespace: str, options: ListOptions) -> ObjectList:
        """Return the objects that match the selectors, sorted by namespace and name.

        Raises ApiError 400 for invalid options, 410 for a compacted revision, and 504 for a future revision.
        """
        return await listing.list_objects(self, namespace, options)

    async def all(self) -> Sequence[StoredObject]:
        """Return all objects, sorted by namespace and name.

        While no object changes, the same sequence is returned, which must not be modified.
        """
        storage, prefix = self.backend.storage, self.resource.key_prefix
        known = storage.list_cached(prefix)
        return (await storage.list(prefix)).values if known is None else known

    async def all_seen(self) -> Sequence[StoredObject]:
        """Return all objects as of the newest write that this server has seen, sorted like those of :meth:`all`.

        Unlike `all`, this method does not ask a storage that servers share for newer writes.
        """
        storage, prefix = self.backend.storage, self.resource.key_prefix
        known = storage.list_cached(prefix)
        return (await storage.list(prefix, at_least=self.seen_revision)).values if known is None else known

    def emptiness(self) -> Emptiness:
        """Return an object whose attribute `known` is True while the resource has no objects."""
        return self.backend.storage.emptiness(self.resource.key_prefix)

    def watch(self, namespace: str, options: WatchOptions, asker: MakeAsker | None = None) -> ObjectWatch:
        """Return a watch of the objects that match the selectors.

        `asker` returns the request: injected faults that match it apply to the watch. If `asker` is None, no faults
        apply. Raises ApiError 500 for a malformed resourceVersion.
        """
        watch = ObjectWatch(self, namespace, options, asker)
        self._watches[watch] = None
        return watch

    async def create(self, obj: ApiObject, context: WriteContext) -> StoredObject:
        """Store the new object `obj`, which a client sent or a program made, and return its first revision.

        Raises ApiError 409 if another object has the name, and other errors if validation or admission rejects the
        object.
        """
        self.begin(context)
        await self._receive(obj, context)
        try:
            return await create_object(self, obj, context)
        except TooLarge:
            obj.metadata.managedFields = None
            return await create_object(self, obj, context)

    async def replace(
        self,
        name: str,
        decode: Callable[[], ApiObject],
        context: WriteContext,
        subresource: Subresource | None = None,
    ) -> tuple[StoredObject, bool]:
        """Replace an object by the one that `decode` returns, as for a PUT.

        After a write conflict, `decode` is called again. Returns the new revision, and True if the object was created.
        Raises ApiError 404 if the object does not exist and the kind does not allow a PUT to create it, 409 for an
        outdated resourceVersion or uid, and other errors if validation or admission rejects the object.
        """
        replaced = Replaced(self, name, decode, context, subresource)
        check_key_name(name)
        return await self._tracked_or_not(name, replaced, context, UpdateOptions(subresource, uid=replaced.uid))

    async def patch(
        self, name: str, patch: Patch, context: WriteContext, subresource: Subresource | None = None
    ) -> tuple[StoredObject, bool]:
        """Apply a JSON patch, merge patch or strategic merge patch to an object.

        Returns the new revision, and False, because a patch creates no object. Raises ApiError 404 if the object does
        not exist, 409 if the patch contains an outdated resourceVersion, and other errors if the patch cannot be
        applied, or if validation or admission rejects the change.
        """
        patched = Patched(self, name, patch, context, subresource)
        return await self._tracked_or_not(name, patched, context, UpdateOptions(subresource))

    async def apply(
        self,
        name: str,
        patch: Patch,
        context: WriteContext,
        subresource: Subresource | None = None,
        *,
        force: bool = False,
    ) -> tuple[StoredObject, bool]:
        """Apply a configuration by server-side apply (KEP-555). Without a subresource, an object is created if needed.

        `patch` has the body with the configuration. With `force`, the client takes over fields of other managers.

        Returns the new revision, and True if the object was created. Raises ApiError 409 if other managers own the
        fields, 404 if `subresource` is given and the object does not exist, and other errors if validation or admission
        rejects the change.
        """
        applied = Applied(self, name, patch, context, subresource, force=force)
        return await self._update(name, applied, context, UpdateOptions(subresource, upsert=subresource is None))

    async def apply_forcibly(
        self, name: str, fields: Document, context: WriteContext, *, subresource: str = ""
    ) -> StoredObject:
        resource = self.resource
        configuration = {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "metadata": {"name": name},
            **fields,
        }
        patch = Patch(APPLY_PATCH, to_json(configuration), "Strict")
        part = resource.subresource(subresource) if subresource else None
        return (await self.apply(name, patch, context, part, force=True))[0]

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
        part = self.resource.subresource(subresource) if subresource else None
        changed = Changed(self, name, change, context, subresource=part, owned=owned)
        stored, _ = await self._tracked_or_not(name, changed, context, UpdateOptions(part, uid=uid))
        return stored

    async def guaranteed_update(
        self,
        name: str,
        change: Change,
        context: WriteContext,
        check: Callable[[StoredObject], Awaitable[None]] | None = None,
        *,
        replaces_spec: bool = False,
    ) -> StoredObject:
        changed = Changed(self, name, change, context, owned=False, check=check, replaces_spec=replaces_spec)
        return (await self._update(name, changed, context, UpdateOptions(direct=True)))[0]

    async def post(self, subresource: CreateSubresource, name: str, obj: ApiModel, context: WriteContext) -> Created:
        """Call the POST handler of a subresource with `obj`, the object that the client sent. Return the response.

        Raises ApiError if the handler rejects the object.
        """
        self.begin(context)
        resource = self.resource
        group, version = subresource.group, subresource.version
        shown = KindName(*((group, version) if version else (resource.group, resource.version)), subresource.kind)
        if isinstance(obj, ApiObject):
            fit_namespace(obj.metadata, context.namespace)
            own_all(obj, shown, subresource.name, context, self.backend.clock)
        attributes = Attributes(
            self.resource, subresource.name, "CREATE", context.namespace, name, obj, None, context, shown
        )
        return await self._created(subresource.create, attributes, name, obj)

    async def admit_connection(
        self, subresource: ConnectSubresource, name: str, options: ApiModel | None, context: WriteContext
    ) -> None:
        """Run admission for a connection to a subresource; `options` are the query parameters.

        Raises ApiError if a plugin rejects the connection.
        """
        # In kube-apiserver, a subresource that supports only GET, such as ``log``, is a read: admission does not run.
        if "create" in subresource.verbs:
            attributes = Attributes(
                self.resource, subresource.name, "CONNECT", context.namespace, name, options, None, context
            )
            if subresource.options_kind:
                attributes.shown = KindName("", "v1", subresource.options_kind)
            await self._admit(attributes)

    async def answer(self, obj: ApiObject, context: WriteContext) -> Created:
        """Return the response to a POST of a kind whose objects are not stored.

        Raises ApiError if the object is rejected.
        """
        answer = self.resource.answer
        assert answer is not None
        await self._receive(obj, context)
        return await self._created(answer, self.attributes("CREATE", obj, None, context), obj.metadata.name, obj)

    async def _created(self, create: Creator, attributes: Attributes, name: str, obj: ApiModel) -> Created:
        """Run mutating admission of a POST, and then its handler `create`; validating admission follows.

        As in kube-apiserver, a handler can run validating admission itself, after it has checked the object. If it has
        not done so, validating admission runs after the handler.
        """
        admission, context = self.backend.admission, attributes.context
        await admission.mutate(attributes)
        context.validation = partial(admission.validate, attributes)
        created = await create(self.stores, name, obj, context)
        await context.validate_admission()
        return created

    async def delete(self, name: str, options: DeleteOptions, context: WriteContext) -> Deletion:
        """Delete an object, or mark it as terminating.

        Raises ApiError 404 if the object does not exist, 409 if a precondition fails, and other errors if admission
        rejects the deletion.
        """
        self.begin(context)
        strategy = self.resource.strategy
        context.deletion = options
        for warning in strategy.warnings_on_delete(options):
            context.warn(warning)
        finished = await strategy.begin_delete(self, name, options, context)
        return finished or await deletion.delete_object(self, name, options, context)

    async def delete_collection(self, listed: ListOptions, options: DeleteOptions, context: WriteContext) -> ObjectList:
        """Delete, one after another, the objects that `listed` selects. Return them as they were before the deletion.

        As in kube-apiserver, the strategy's ``begin_delete`` is not called. Raises ApiError if a deletion is rejected,
        and the errors of :meth:`list`.
        """
        self.begin(context)
        for warning in self.resource.strategy.warnings_on_delete(options):
            context.warn(warning)
        objects = await self.list(context.namespace, listing.read_in_pages(listed))
        await deletion.delete_each(self, objects.items, options, context)
        return objects

    def watches(self) -> Sequence[ObjectWatch]:
        """Return the open watches of the resource's objects."""
        return list(self._watches)

    def end_requests(self) -> None:
        """End the watches of HTTP clients when the server stops."""
        for watch in self.watches():
            if watch.answers_request:
                watch.end()

    def close(self) -> None:
        """End all watches when the resource is no longer served or its declaration is replaced."""
        for watch in list(self._watches):
            watch.end()

    async def _receive(self, obj: ApiObject, context: WriteContext) -> None:
        """Prepare a new object for admission: reset system-set fields, and set defaults and managedFields."""
        resource = self.resource
        if resource.structural is None or not obj.kind:
            obj.kind, obj.apiVersion = resource.kind, resource.api_version
        if resource.holds_namespaces and not context.namespace:
            context.namespace = obj.metadata.name
        wipe_system_fields(obj.metadata)
        fit_namespace(obj.metadata, self.namespace_of(context))
        deduplicate_owners(obj, context)
        default_received(obj, resource)
        await own_changes(None, obj, resource, writer_of(resource, context, self.backend.clock))

    async def _admit(self, attributes: Attributes) -> None:
        await self.backend.admission.mutate(attributes)
        await self.backend.admission.validate(attributes)

    async def _tracked_or_not(
        self, name: str, build: Build, context: WriteContext, options: UpdateOptions
    ) -> tuple[StoredObject, bool]:
        """Replace an object by the one that the function `build` makes from the stored object.

        If the object is too large for the storage, try again without managedFields. Returns the new revision, and True
        if the object was created.
        """
        try:
            return await self._update(name, build, context, options)
        except TooLarge:
            return await self._update(name, build, context, options._replace(tracked=False))

    async def _update(
        self, name: str, build: Build, context: WriteContext, options: UpdateOptions
    ) -> tuple[StoredObject, bool]:
        self.begin(context)
        try:
            return await Update(self, name, build, context, options).run()
        except StorageRestored:
            raise self.restored_meanwhile(name) from None
