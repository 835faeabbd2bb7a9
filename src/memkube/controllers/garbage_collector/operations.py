"""Requests and events of the garbage collector (``operations.go``, ``patch.go``)."""

from collections.abc import Collection
from typing import Final, Literal, TypeAlias

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apimachinery.shown_values import quoted
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import TryAgain
from memkube.controllers.garbage_collector.graph import Identity
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

Policy: TypeAlias = Literal["Background", "Foreground", "Orphan"]
_GONE: Final = "NotFound"


def wrong_namespace(owner: Identity) -> Report:
    """Return the Event about an invalid owner reference, whose owner is in another namespace."""
    where = f"namespace: {owner.namespace}, name: {owner.name}, uid: {owner.uid}"
    named = f"[{owner.api_version}/{owner.kind}, {where}]"
    message = f"ownerRef {named} does not exist in namespace {quoted(owner.namespace)}"
    return Report("Warning", "OwnerRefInvalidNamespace", message)


class NamespacedOwner(Exception):
    """Raised if a cluster-scoped object has a namespaced owner.

    Such an owner reference is invalid, so retries cannot help.
    """


class Operations:
    """Reads, changes and deletes objects of any kind for the garbage collector, by their identities."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._client = runtime.client

    def resource(self, api_version: str, kind: str) -> Resource:
        """Return the resource of a kind. Raises TryAgain if the kind is not served at present."""
        resource = self._runtime.resource(api_version, kind)
        if resource is None:
            raise TryAgain
        return resource

    async def get(self, identity: Identity) -> StoredObject | None:
        """Return the object with the kind, namespace and name of an identity, even if its uid differs.

        Raises TryAgain if its kind is not served at present, and NamespacedOwner for an invalid owner reference.
        """
        resource = self.resource(identity.api_version, identity.kind)
        if resource.namespaced and not identity.namespace:
            raise NamespacedOwner
        try:
            return await self._client.get(resource, identity.namespace if resource.namespaced else "", identity.name)
        except ApiError as error:
            if error.reason == _GONE:
                return None
            raise

    async def delete(self, identity: Identity, seen: StoredObject, policy: Policy) -> bool:
        """Delete the object with this identity, if its owner references are still those in its revision `seen`.

        `policy` is the propagation policy. Returns False if the object does not exist. Raises TryAgain if its owner
        references have changed, or another object has its name. Raises ApiError if the request fails.
        """
        try:
            await self._delete(identity, policy, seen.resource_version)
        except ApiError as error:
            if error.reason == _GONE:
                return False
            if error.reason != "Conflict":
                raise
        else:
            return True
        now = await self.get(identity)
        if now is None:
            return False
        if now.uid != identity.uid or _owners(now) != _owners(seen):
            raise TryAgain
        await self._delete(identity, policy, None)
        return True

    async def remove_owners(self, current: StoredObject, identity: Identity, owners: Collection[str]) -> None:
        """Remove the owner references with the uids `owners` from an object. Raises ApiError if the request fails.

        `current` is any revision of the object, and `identity` has its apiVersion and kind.
        """

        def change(obj: ApiObject) -> None:
            metadata = obj.metadata
            metadata.ownerReferences = [r for r in metadata.ownerReferences if r.uid not in owners]

        await self._client.update(self.resource(identity.api_version, identity.kind), current, change)

    async def unblock_owners(self, current: StoredObject, identity: Identity) -> None:
        """Set ``blockOwnerDeletion`` to false in all owner references of an object.

        `current` is any revision of the object, and `identity` has its apiVersion and kind. Raises ApiError if the
        request fails.
        """

        def change(obj: ApiObject) -> None:
            for reference in obj.metadata.ownerReferences:
                if reference.blockOwnerDeletion:
                    reference.blockOwnerDeletion = False

        await self._client.update(self.resource(identity.api_version, identity.kind), current, change)

    async def remove_finalizer(self, identity: Identity, finalizer: str) -> None:
        """Remove a finalizer from the object with this identity; do nothing if the object does not exist or lacks it.

        Raises ApiError if the request fails.
        """
        current = await self.get(identity)
        if current is None or finalizer not in current.document["metadata"].get("finalizers", ()):
            return

        def change(obj: ApiObject) -> None:
            obj.metadata.finalizers = [f for f in obj.metadata.finalizers if f != finalizer]

        try:
            await self._client.update(self.resource(identity.api_version, identity.kind), current, change)
        except ApiError as error:
            if error.reason != _GONE:
                raise

    async def _delete(self, identity: Identity, policy: Policy, version: str | None) -> None:
        resource = self.resource(identity.api_version, identity.kind)
        preconditions = Preconditions(uid=identity.uid, resourceVersion=version)
        options = DeleteOptions(propagationPolicy=policy, preconditions=preconditions)
        namespace = identity.namespace if resource.namespaced else ""
        await self._client.delete(resource, namespace, identity.name, options)


def _owners(stored: StoredObject) -> object:
    return stored.document["metadata"].get("ownerReferences")
