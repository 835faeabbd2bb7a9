"""Deletion, immediate or after a grace period and finalizers (apiserver ``rest/delete.go``, ``registry/store.go``)."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple, TypeAlias

from memkube.apimachinery.errors import ApiError, GroupResource, invalid, not_found
from memkube.apimachinery.meta.v1.api_object import ApiObject, ObjectMeta
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.validation.options import validate_delete_options
from memkube.apimachinery.time import Time
from memkube.registry.declarations.interface import Deletion
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import Strategy
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import Collection, check_record
from memkube.storage.errors import KeyNotFound, StorageRestored
from memkube.time.clock import Clock, written_now
from memkube.time.turns import Turns

Change: TypeAlias = Callable[[StoredObject], Awaitable[StoredObject]]

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"


class _Marked(NamedTuple):
    """A stored object to which a DELETE has added deletionTimestamp and deletionGracePeriodSeconds."""

    obj: ApiObject
    graceful: bool
    pending: bool
    """True if the object was terminating before, and this DELETE changes nothing."""


async def delete_object(collection: Collection, name: str, options: DeleteOptions, context: WriteContext) -> Deletion:
    """Delete an object, or mark it as terminating.

    Raises ApiError 404 if the object does not exist, 409 if a precondition fails, and other errors if admission rejects
    the deletion.
    """
    return await _Deleting(collection, name, options, context).run()


async def delete_each(
    collection: Collection, objects: Iterable[StoredObject], options: DeleteOptions, context: WriteContext
) -> None:
    """Delete the objects of a collection one after another. Objects that no longer exist are skipped.

    Raises ApiError if admission rejects a deletion.
    """
    turns = Turns()
    for stored in objects:
        await turns.give()
        how = options.model_copy()
        item_context = replace(context, namespace=stored.namespace, of_collection=True, deletion=how)
        try:
            await delete_object(collection, stored.name, how, item_context)
        except ApiError as error:
            if error.reason != "NotFound":
                raise


async def remove(
    collection: Collection, key: str, check: Callable[[StoredObject], Awaitable[None]], context: WriteContext
) -> StoredObject:
    """Remove an object from storage, release the resources reserved for it (AfterDelete), and return its last revision.

    `key` is its storage key. `check` gets the stored object, and raises an error to prevent the removal. Raises
    KeyNotFound if the object does not exist, and StorageRestored if a snapshot was restored since the write began.
    """
    if context.begun is not None and context.begun != collection.backend.storage.restored:
        raise StorageRestored
    last = await collection.backend.storage.delete(key, check)
    await collection.resource.strategy.after_delete(collection.stores, last, context)
    return last


def removed_by_update(new: ApiObject, old: ApiObject) -> bool:
    """Return True if an update removes a terminating object from storage.

    That is the case if its grace period is over and the update leaves no finalizer.
    """
    terminating = old.metadata.deletionTimestamp is not None and not old.metadata.deletionGracePeriodSeconds
    return terminating and not new.metadata.finalizers


def finalizers_for(obj: ApiObject, strategy: Strategy[Any], options: DeleteOptions) -> list[str]:
    """Return the finalizers that an object has after a DELETE with `options`; `strategy` is its kind's strategy.

    They include orphan or foregroundDeletion if the propagation policy is Orphan or Foreground, because the garbage
    collector must then act before the object is removed.
    """
    kept = [f for f in obj.metadata.finalizers if f not in (ORPHAN, FOREGROUND)]
    policy = _propagation(obj.metadata, strategy, options)
    return kept + {"Orphan": [ORPHAN], "Foreground": [FOREGROUND]}.get(policy, [])


def _propagation(metadata: ObjectMeta, strategy: Strategy[Any], options: DeleteOptions) -> str:
    if strategy.garbage_collection == "unsupported":
        return "Background"
    if options.orphanDependents is not None:
        return "Orphan" if options.orphanDependents else "Background"
    if options.propagationPolicy is not None:
        return options.propagationPolicy
    for finalizer in metadata.finalizers:
        if finalizer in (ORPHAN, FOREGROUND):
            return "Orphan" if finalizer == ORPHAN else "Foreground"
    return "Orphan" if strategy.garbage_collection == "orphan" else "Background"


class _Deleting:
    """One DELETE of an object.

    It takes up to two writes: one marks the object as terminating, and one removes it from storage.
    """

    def __init__(self, collection: Collection, name: str, options: DeleteOptions, context: WriteContext) -> None:
        self.collection = collection
        self.strategy: Strategy[Any] = collection.resource.strategy
        self.name = name
        self.key = collection.key(context.namespace, name)
        self.options = options
        self.context = context
        self.preconditions = options.preconditions

    async def run(self) -> Deletion:
        errors = validate_delete_options(self.options)
        if errors:
            raise invalid("meta.k8s.io", "DeleteOptions", "", errors)
        try:
            current = await self.collection.backend.storage.get(self.key)
            marked = self._mark(current)
            if marked.pending:
                return Deletion(self._written(marked.obj), gone=False)
            finalizers = finalizers_for(marked.obj, self.strategy, self.options)
            held = marked.obj.metadata.finalizers
            if not (marked.graceful or held or set(finalizers) != set(held)):
                return Deletion(await self._remove(None), gone=True)
            return await self._leave_terminating()
        except KeyNotFound:
            raise not_found(self.collection.resource.group_resource, self.name) from None
        except StorageRestored:
            raise self.collection.restored_meanwhile(self.name) from None

    async def _leave_terminating(self) -> Deletion:
        outcome: _Marked | None = None

        async def change(current: StoredObject) -> StoredObject:
            nonlocal outcome
            self._check_preconditions(current)
            await self.collection.admit_deletion(current, self.context)
            outcome = self._mark(current)
            if outcome.pending:
                return current
            metadata = outcome.obj.metadata
            finalizers = finalizers_for(outcome.obj, self.strategy, self.options)
            if set(finalizers) != set(metadata.finalizers):
                metadata.finalizers = finalizers
            if not outcome.graceful:
                if not metadata.finalizers:
                    return current
                _mark_now(metadata, self.collection.backend.clock)
            written = self._written(outcome.obj)
            return current if written.document == current.document else written

        written = await self._update(change)
        assert outcome is not None
        metadata = outcome.obj.metadata
        if outcome.pending or metadata.finalizers or (outcome.graceful and metadata.deletionGracePeriodSeconds):
            return Deletion(written, gone=False)
        if self.context.dry_run:
            return Deletion(written, gone=True)
        return Deletion(await self._remove(written if outcome.graceful else None), gone=True)

    async def _update(self, change: Change) -> StoredObject:
        storage = self.collection.backend.storage
        if self.context.dry_run:
            return await change(await storage.get(self.key))
        self.collection.check_begun(self.name, self.context)
        return await storage.update(self.key, change)

    async def _remove(self, marked: StoredObject | None) -> StoredObject:
        """Remove the object from storage.

        `marked` is the revision in which this DELETE marked the object as terminating; None if it did not.
        """

        async def check(current: StoredObject) -> None:
            self._check_preconditions(current, marked)
            await self.collection.admit_deletion(current, self.context)

        if self.context.dry_run:
            current = await self.collection.backend.storage.get(self.key)
            await check(current)
            return current
        return await remove(self.collection, self.key, check, self.context)

    def _mark(self, current: StoredObject) -> _Marked:
        obj, resource = self.collection.instance(current), self.collection.resource
        if self.preconditions is not None:
            check_record(GroupResource(resource.stored_as.group, resource.kind), obj, self.preconditions)
        options, metadata, clock = self.options, obj.metadata, self.collection.backend.clock
        if options.gracePeriodSeconds is not None and options.gracePeriodSeconds < 0:
            options.gracePeriodSeconds = 1
        if metadata.deletionGracePeriodSeconds is not None and metadata.deletionGracePeriodSeconds < 0:
            metadata.deletionGracePeriodSeconds = 1
        if not self.strategy.graceful:
            return _Marked(obj, graceful=False, pending=False)
        if metadata.deletionTimestamp is not None:
            return self._mark_again(obj, metadata.deletionTimestamp)
        grace = self.strategy.grace_period(obj, options)
        if grace is None:
            return _Marked(obj, graceful=False, pending=False)
        options.gracePeriodSeconds = grace
        metadata.deletionTimestamp = Time.at(clock.now() + timedelta(seconds=grace))
        metadata.deletionGracePeriodSeconds = grace
        if metadata.generation > 0:
            metadata.generation += 1
        return _Marked(obj, graceful=True, pending=False)

    def _mark_again(self, obj: ApiObject, deletion: Time) -> _Marked:
        """Shorten the grace period of an object that is already terminating, with the deletionTimestamp `deletion`.

        A longer grace period in the options has no effect.
        """
        metadata, options = obj.metadata, self.options
        grace = metadata.deletionGracePeriodSeconds
        if not grace:
            return _Marked(obj, graceful=False, pending=False)
        shorter = options.gracePeriodSeconds
        if shorter is None or shorter >= grace:
            if shorter is None:
                options.gracePeriodSeconds = grace
            return _Marked(obj, graceful=False, pending=True)
        moved = deletion.instant + timedelta(seconds=shorter - grace)
        now = self.collection.backend.clock.now()
        if moved < now:
            moved, shorter = now, min(shorter, 1)
        metadata.deletionTimestamp = Time.at(moved)
        metadata.deletionGracePeriodSeconds = shorter
        options.gracePeriodSeconds = shorter
        return _Marked(obj, graceful=True, pending=False)

    def _check_preconditions(self, current: StoredObject, marked: StoredObject | None = None) -> None:
        if self.preconditions is None:
            return
        dry_run = self.context.dry_run
        self.collection.check_uid(current, self.preconditions.uid, dry_run=dry_run)
        version = marked.resource_version if marked else self.preconditions.resourceVersion
        if self.preconditions.resourceVersion is not None and version != current.resource_version:
            why = (
                f"Precondition failed: ResourceVersion in precondition: {version}, "
                f"ResourceVersion in object meta: {current.resource_version}"
            )
            raise self.collection.precondition_failed(current, why, dry_run=dry_run)

    @staticmethod
    def _written(obj: ApiObject) -> StoredObject:
        return StoredObject(obj.to_document())


def _mark_now(metadata: ObjectMeta, clock: Clock) -> None:
    if metadata.deletionTimestamp is None and metadata.generation > 0:
        metadata.generation += 1
    now = written_now(clock)
    if metadata.deletionTimestamp is None or metadata.deletionTimestamp.instant > now.instant:
        metadata.deletionTimestamp = now
    metadata.deletionGracePeriodSeconds = 0
