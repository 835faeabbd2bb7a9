"""Deleting a namespace: it stays, terminating, until its content is gone."""

from memkube.apimachinery.errors import ApiError, conflict
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apis.core.v1.namespaces.types import Namespace
from memkube.registry.clock import written_now
from memkube.registry.context import WriteContext
from memkube.registry.deletion import Deletion, finalizers_for
from memkube.registry.store import Store
from memkube.registry.stored import StoredObject


class NamespaceStore(Store):
    """Source: ``pkg/registry/core/namespace/storage/storage.go``."""

    async def delete(self, name: str, options: DeleteOptions, context: WriteContext) -> Deletion:
        """Marks the namespace first; removes it once its content is gone. Raises ApiError."""
        current = await self.get("", name)
        preconditions = options.preconditions or Preconditions()
        preconditions.uid = current.uid if preconditions.uid is None else preconditions.uid
        options.preconditions = preconditions
        self._check(current, preconditions)
        namespace = Namespace.from_document(current.document)
        if namespace.metadata.deletionTimestamp is None:
            return Deletion(await self._terminate(name, options, context), gone=False)
        if namespace.spec.finalizers:
            return Deletion(current, gone=False)
        return await super().delete(name, options, context)

    async def _terminate(self, name: str, options: DeleteOptions, context: WriteContext) -> StoredObject:
        async def change(current: StoredObject) -> StoredObject:
            await self.admit_deletion(current, context)
            namespace = Namespace.from_document(current.document)
            metadata = namespace.metadata
            metadata.deletionTimestamp = metadata.deletionTimestamp or written_now(self.backend.clock)
            namespace.status.phase = "Terminating"
            finalizers = finalizers_for(namespace, self.resource.strategy, _spelled_out(options))
            if set(finalizers) != set(metadata.finalizers):
                metadata.finalizers = finalizers
            return StoredObject(namespace.to_document())

        storage, key = self.backend.storage, self.key("", name)
        if context.dry_run:
            return await change(await storage.get(key))
        return await storage.update(key, change)

    def _check(self, current: StoredObject, preconditions: Preconditions) -> None:
        if preconditions.uid != current.uid:
            raise self._failed(current, "UID", preconditions.uid, current.uid)
        version = preconditions.resourceVersion
        if version is not None and version != current.resource_version:
            raise self._failed(current, "ResourceVersion", version, current.resource_version)

    def _failed(self, current: StoredObject, what: str, expected: str | None, found: str) -> ApiError:
        why = f"Precondition failed: {what} in precondition: {expected}, {what} in object meta: {found}"
        return conflict(self.resource.group_resource, current.name, why)


def _spelled_out(options: DeleteOptions) -> DeleteOptions:
    """The options with a propagation policy: here, not to orphan dependents is to wait for them."""
    if options.orphanDependents is not False:
        return options
    return options.model_copy(update={"orphanDependents": None, "propagationPolicy": "Foreground"})
