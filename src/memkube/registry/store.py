"""The verbs on objects of one resource.

Storage errors become API errors here and nowhere else. The order of the steps is that of the reference
(apiserver ``registry/generic/registry/store.go``).
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from memkube.apimachinery.errors import (
    ApiError,
    already_exists,
    conflict,
    generate_name_conflict,
    invalid,
    not_found,
    unclassified,
)
from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.managed_fields import keep_times
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.validation.object_meta import validate_object_meta, validate_object_meta_update
from memkube.apimachinery.names import path_segment_name
from memkube.registry import deletion, listing, watching
from memkube.registry.admission import Attributes, Operation
from memkube.registry.backend import Backend
from memkube.registry.clock import written_now
from memkube.registry.context import WriteContext
from memkube.registry.metadata import fit_namespace
from memkube.registry.options import ListOptions, WatchOptions
from memkube.registry.resource import Resource, Subresource
from memkube.registry.stored import StoredObject
from memkube.registry.strategy import Strategy
from memkube.registry.versions import is_revision, requested_revision, revision_of
from memkube.storage.errors import KeyExists, KeyNotFound

Build: TypeAlias = Callable[[StoredObject | None], Awaitable[ApiObject]]
"""Makes the object to be written from the stored one (None: there is none). Called again after a conflict."""

MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"
MOST_STORED_BYTES = 3 * 512 * 1024
_NO_LIMIT = 2**31
_NAME_ATTEMPTS = 8
_STAMPED_LATER = "0"
"""Keeps the place of the resourceVersion among the fields until storage assigns it."""


class _Emptied(Exception):
    """Ends an update that took the last finalizer: the object goes instead."""

    def __init__(self, last: StoredObject) -> None:
        super().__init__()
        self.last = last


class _DryRun(Exception):
    """Ends an update that must not be written."""

    def __init__(self, changed: StoredObject) -> None:
        super().__init__()
        self.changed = changed


class Store:
    """Reads and writes objects of one resource. Objects given to it belong to it from then on."""

    def __init__(self, resource: Resource, backend: Backend) -> None:
        self.resource = resource
        self.backend = backend

    def key(self, namespace: str, name: str) -> str:
        """Where storage keeps an object."""
        if self.resource.namespaced:
            return f"{self.resource.key_prefix}{namespace}/{name}"
        return self.resource.key_prefix + name

    def prefix(self, namespace: str) -> str:
        """Where storage keeps the objects of a namespace, or all of them."""
        if self.resource.namespaced and namespace:
            return f"{self.resource.key_prefix}{namespace}/"
        return self.resource.key_prefix

    async def get(self, namespace: str, name: str, resource_version: str = "") -> StoredObject:
        """The newest revision of an object.

        Raises ApiError 404, 500 for a malformed resourceVersion, and 504 for one that has not happened yet.
        """
        if (revision := requested_revision(resource_version)) > self.backend.storage.revision:
            raise listing.too_large_version(revision, self.backend.storage.revision)
        try:
            return await self.backend.storage.get(self.key(namespace, name))
        except KeyNotFound:
            raise not_found(self.resource.group_resource, name) from None

    async def list(self, namespace: str, options: ListOptions) -> listing.ObjectList:
        """The selected objects by namespace and name. Raises ApiError 400, 410 and 504."""
        return await listing.list_objects(self, namespace, options)

    def watch(self, namespace: str, options: WatchOptions) -> watching.ObjectWatch:
        """Changes to the selected objects. Raises ApiError 500 for a malformed resourceVersion."""
        return watching.ObjectWatch(self, namespace, options)

    async def create(self, obj: ApiObject, context: WriteContext) -> StoredObject:
        """Stores a new object. Raises ApiError."""
        attributes = self._attributes("CREATE", obj, None, context)
        await self.backend.admission.mutate(attributes)
        generated = bool(obj.metadata.generateName) and not obj.metadata.name
        attempts = _NAME_ATTEMPTS if generated else 1
        while True:
            attempts -= 1
            if generated:
                obj.metadata.name = self.backend.generated_name(obj.metadata.generateName)
                # Each attempt of the reference has a copy of the object, so that nothing in it is shared any more.
                obj.metadata.labels = dict(obj.metadata.labels)
            try:
                return await self._create(obj, context)
            except KeyExists as error:
                if attempts == 0:
                    raise await self._name_taken(obj, error.key) from None

    async def update(
        self,
        name: str,
        build: Build,
        context: WriteContext,
        *,
        subresource: Subresource | None = None,
        upsert: bool = False,
        uid: str | None = None,
    ) -> tuple[StoredObject, bool]:
        """Replaces an object with what `build` makes of it; True where that created it.

        A subresource brings its own strategy; `uid` is a precondition. Raises ApiError.
        """
        strategy = (subresource and subresource.strategy) or self.resource.strategy
        part = subresource.name if subresource else ""
        key = self.key(context.namespace, name)

        async def change(current: StoredObject) -> StoredObject:
            self.check_uid(current, uid, dry_run=context.dry_run)
            new = await build(current)
            old = self.resource.model.from_document(current.document)
            await self.backend.admission.mutate(self._attributes("UPDATE", new, old, context, part))
            changed = await self._updated(new, old, current, strategy, context, part)
            if deletion.removed_by_update(new, old) and strategy.removes_emptied(new):
                raise _Emptied(changed)
            if context.dry_run:
                raise _DryRun(changed)
            _check_size(changed, context)
            return changed

        try:
            return await self.backend.storage.update(key, change), False
        except _Emptied as emptied:
            return await self._remove_emptied(key, emptied.last, uid, context), False
        except _DryRun as dry:
            return dry.changed, False
        except KeyNotFound:
            if not (upsert or strategy.allow_create_on_update):
                raise not_found(self.resource.group_resource, name) from None
        self.check_uid(_absent(context.namespace, name), uid, dry_run=context.dry_run)
        obj = await build(None)
        revision_of(obj.metadata.resourceVersion)
        if not context.dry_run:
            obj.metadata.resourceVersion = ""
        return await self.create(obj, context), True

    async def delete(self, name: str, options: DeleteOptions, context: WriteContext) -> deletion.Deletion:
        """Deletes an object, or leaves it terminating. Raises ApiError."""
        return await deletion.delete_object(self, name, options, context)

    async def delete_collection(
        self, listed: ListOptions, options: DeleteOptions, context: WriteContext
    ) -> listing.ObjectList:
        """Deletes the listed objects one after another; returns them as they were before. Raises ApiError."""
        objects = await self.list(context.namespace, _read_in_pages(listed))
        for stored in objects.items:
            one = replace(context, namespace=stored.namespace)
            try:
                await self.delete(stored.name, options.model_copy(), one)
            except ApiError as error:
                if error.reason != "NotFound":
                    raise
        return objects

    async def admit_deletion(self, stored: StoredObject, context: WriteContext) -> None:
        """Asks admission whether an object may be deleted. Raises ApiError."""
        old = self.resource.model.from_document(stored.document)
        attributes = self._attributes("DELETE", None, old, context)
        await self.backend.admission.mutate(attributes)
        await self.backend.admission.validate(attributes)

    def check_uid(self, current: StoredObject, uid: str | None, *, dry_run: bool = False) -> None:
        """Raises ApiError 409 where a precondition names another object than the stored one."""
        if uid is not None and uid != current.uid:
            why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {current.uid}"
            raise self.precondition_failed(current, why, dry_run=dry_run)

    def precondition_failed(self, current: StoredObject, why: str, *, dry_run: bool = False) -> ApiError:
        """409 in the words that the reference's storage has for it, which a dry run does not reach."""
        where = f"{'' if dry_run else '/registry'}/{self.resource.storage_prefix or self.resource.plural}/"
        where += f"{current.namespace}/{current.name}" if self.resource.namespaced else current.name
        text = f"StorageError: invalid object, Code: 4, Key: {where}, ResourceVersion: 0, AdditionalErrorMsg: {why}"
        return conflict(self.resource.group_resource, current.name, text)

    def invalid(self, name: str, errors: Sequence[FieldError]) -> ApiError:
        """422 for an object of this kind."""
        return invalid(self.resource.kept_as.group, self.resource.kind, name, errors)

    async def _create(self, obj: ApiObject, context: WriteContext) -> StoredObject:
        resource, metadata = self.resource, obj.metadata
        metadata.creationTimestamp = written_now(self.backend.clock)
        metadata.uid = self.backend.new_uid()
        fit_namespace(metadata, context.namespace if resource.namespaced else "")
        for warning in resource.strategy.prepare_for_create(obj, metadata.creationTimestamp):
            context.warn(warning)
        errors = resource.strategy.validate(obj) or validate_object_meta(
            metadata, resource.namespaced, path_segment_name, FieldPath("metadata")
        )
        if errors:
            raise self.invalid(metadata.name, errors)
        for warning in resource.strategy.warnings_on_create(obj):
            context.warn(warning)
        resource.strategy.canonicalize(obj)
        await self.backend.admission.validate(self._attributes("CREATE", obj, None, context))
        key = self.key(metadata.namespace, metadata.name)
        if context.dry_run:
            return await self._dry_create(key, StoredObject(obj.to_document()))
        if is_revision(metadata.resourceVersion):
            raise unclassified("resourceVersion should not be set on objects to be created")
        metadata.selfLink = metadata.resourceVersion = ""
        metadata.resourceVersion = _STAMPED_LATER
        stored = StoredObject(obj.to_document())
        _check_size(stored, context)
        return await self.backend.storage.create(key, stored)

    async def _dry_create(self, key: str, stored: StoredObject) -> StoredObject:
        try:
            await self.backend.storage.get(key)
        except KeyNotFound:
            return stored
        raise KeyExists(key)

    async def _name_taken(self, obj: ApiObject, key: str) -> ApiError:
        name = obj.metadata.name
        refuse = generate_name_conflict if obj.metadata.generateName else already_exists
        error = refuse(self.resource.group_resource, name)
        try:
            existing = await self.backend.storage.get(key)
        except KeyNotFound:
            return error
        if existing.document["metadata"].get("deletionTimestamp"):
            error.message = f"object is being deleted: {error.message}"
        return error

    async def _updated(
        self,
        new: ApiObject,
        old: ApiObject,
        current: StoredObject,
        strategy: Strategy[Any],
        context: WriteContext,
        subresource: str,
    ) -> StoredObject:
        """The stored form of an accepted update; `current` itself where it changes nothing."""
        self._check_version(new, old, strategy)
        _keep_system_fields(self.resource, new, old, strategy, context)
        path = FieldPath("metadata")
        errors = validate_object_meta(new.metadata, self.resource.namespaced, path_segment_name, path)
        errors += validate_object_meta_update(new.metadata, old.metadata, path)
        errors += strategy.validate_update(new, old)
        if errors:
            raise self.invalid(new.metadata.name, errors)
        for warning in strategy.warnings_on_update(new, old):
            context.warn(warning)
        strategy.canonicalize(new)
        await self.backend.admission.validate(self._attributes("UPDATE", new, old, context, subresource))
        new.metadata.resourceVersion = old.metadata.resourceVersion
        if not context.dry_run:
            new.metadata.selfLink = ""
        document = keep_times(current.document, new.to_document())
        return current if document == current.document else StoredObject(document)

    def _check_version(self, new: ApiObject, old: ApiObject, strategy: Strategy[Any]) -> None:
        revision = revision_of(new.metadata.resourceVersion)
        name = old.metadata.name
        if revision == 0:
            if strategy.allow_unconditional_update:
                new.metadata.resourceVersion = old.metadata.resourceVersion
                return
            path = FieldPath("metadata").child("resourceVersion")
            must = FieldError("FieldValueInvalid", str(path), 0, "must be specified for an update")
            raise invalid(self.resource.group, self.resource.plural, name, [must])
        if revision != revision_of(old.metadata.resourceVersion):
            raise conflict(self.resource.group_resource, name, MODIFIED)

    async def _remove_emptied(
        self, key: str, last: StoredObject, uid: str | None, context: WriteContext
    ) -> StoredObject:
        """Deletes a terminating object that lost its last finalizer; the answer is as the update made it."""

        async def check(current: StoredObject) -> None:
            self.check_uid(current, uid)

        if not context.dry_run:
            await self.backend.storage.delete(key, check)
        return last

    def _attributes(
        self,
        operation: Operation,
        new: ApiObject | None,
        old: ApiObject | None,
        context: WriteContext,
        subresource: str = "",
    ) -> Attributes:
        named = new or old
        name = named.metadata.name if named else ""
        return Attributes(self.resource, subresource, operation, context.namespace, name, new, old, context)


def _absent(namespace: str, name: str) -> StoredObject:
    return StoredObject({"metadata": {"namespace": namespace, "name": name}})


def _check_size(stored: StoredObject, context: WriteContext) -> None:
    """Raises ApiError 500 for an object that the reference's storage takes no request for."""
    if context.body_size > MOST_STORED_BYTES and len(stored.data) > MOST_STORED_BYTES:
        raise unclassified("etcdserver: request is too large")


def _read_in_pages(listed: ListOptions) -> ListOptions:
    """The options of a list that the reference reads in pages: a resourceVersion is then the one to show.

    One object alone is read as it is now, as in any list with a limit.
    """
    if listed.limit or listed.resource_version_match or listed.resource_version in ("", "0"):
        return listed
    return replace(listed, limit=_NO_LIMIT)


def _keep_system_fields(
    resource: Resource, new: ApiObject, old: ApiObject, strategy: Strategy[Any], context: WriteContext
) -> None:
    """Restores what no update may change, around the strategy's own preparation."""
    metadata, before = new.metadata, old.metadata
    fit_namespace(metadata, context.namespace if resource.namespaced else "")
    metadata.generation = before.generation
    strategy.prepare_for_update(new, old)
    metadata.uid = metadata.uid or before.uid
    if before.creationTimestamp is not None:
        metadata.creationTimestamp = before.creationTimestamp
    if before.deletionTimestamp is not None:
        metadata.deletionTimestamp = before.deletionTimestamp
    if before.deletionGracePeriodSeconds is not None and metadata.deletionGracePeriodSeconds is None:
        metadata.deletionGracePeriodSeconds = before.deletionGracePeriodSeconds
