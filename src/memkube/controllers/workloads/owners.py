"""Controller references, and the adoption and release of objects by selector (``controller_ref_manager.go``)."""

from collections.abc import Iterable
from typing import Any

from memkube.apimachinery.errors import ApiError, conflict
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.meta.v1.api_object import ApiObject, OwnerReference
from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject


class OwnedObjects:
    """Index of the objects of one resource by the uid of their controller; orphaned ones are indexed by namespace.

    Create this before its users subscribe to the informer, so that it is updated before they are called.
    """

    def __init__(self, informer: Informer) -> None:
        self._owned: dict[str, dict[str, StoredObject]] = {}
        self._orphans: dict[str, dict[str, StoredObject]] = {}
        informer.subscribe(self._on_change)

    def of(self, uid: str) -> list[StoredObject]:
        """Return the objects whose controller has this uid."""
        return list(self._owned.get(uid, {}).values())

    def count(self, uid: str) -> int:
        """Return the number of objects whose controller has this uid."""
        return len(self._owned.get(uid, ()))

    def orphans(self, namespace: str) -> list[StoredObject]:
        """Return the objects in a namespace that have no controller."""
        return list(self._orphans.get(namespace, {}).values())

    def _on_change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None:
            index, key = self._index_and_key_of(old)
            objects = index.get(key, {})
            objects.pop(old.name, None)
            if not objects:
                index.pop(key, None)
        if new is not None:
            index, key = self._index_and_key_of(new)
            index.setdefault(key, {})[new.name] = new

    def _index_and_key_of(self, stored: StoredObject) -> tuple[dict[str, dict[str, StoredObject]], str]:
        uid = controller_uid(stored)
        return (self._owned, uid) if uid else (self._orphans, stored.namespace)


def controller_reference(document: Document) -> dict[str, Any] | None:
    """Return the owner reference of an object's controller, or None."""
    references: list[dict[str, Any]] = document["metadata"].get("ownerReferences") or []
    for reference in references:
        if reference.get("controller"):
            return reference
    return None


def controller_uid(stored: StoredObject | None) -> str:
    """Return the uid of an object's controller; empty if it has none."""
    return stored.fact(_controller_uid) if stored is not None else ""


def _controller_uid(document: Document) -> str:
    reference = controller_reference(document)
    return reference["uid"] if reference else ""


def reference_to(owner: StoredObject, resource: Resource) -> Document:
    """Return an owner reference with which `owner` controls an object."""
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": owner.name,
        "uid": owner.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


class Claims:
    """Adopts orphaned objects that an owner's selector matches, and releases those that it matches no longer."""

    def __init__(
        self, runtime: Runtime, objects: Resource, owner: StoredObject, owners: Resource, selector: LabelSelector
    ) -> None:
        self._client = runtime.client
        self._objects = objects
        self.owner = owner
        """The owner that adopts and releases objects."""
        self._owners = owners
        self._selector = selector
        self._may_adopt = False
        self._is_leaving = "deletionTimestamp" in owner.document["metadata"]

    async def claim(self, candidates: Iterable[StoredObject]) -> list[StoredObject]:
        """Adopt and release objects among the candidates. Returns the objects that the owner then controls, as stored.

        Raises the first ApiError if a change fails.
        """
        claimed: list[StoredObject] = []
        failure: ApiError | None = None
        for candidate in candidates:
            # Most candidates belong to the owner already. Handling them without a coroutine saves time.
            if self.controller_of(candidate) == self.owner.uid and self._selects(candidate):
                claimed.append(candidate)
                continue
            try:
                mine = await self._claimed(candidate)
                if mine is not None:
                    claimed.append(mine)
            except ApiError as error:
                if error.reason != "NotFound":
                    failure = failure or error
        if failure is not None:
            raise failure
        return claimed

    def controller_of(self, candidate: StoredObject) -> str:
        """Return the uid of an object's controller.

        Subclasses may override this to avoid reading the object.
        """
        return controller_uid(candidate)

    def fits(self, candidate: StoredObject) -> bool:
        """Return False for an object that the owner must not adopt although its selector matches.

        Subclasses may override this.
        """
        return True

    def mark(self, obj: ApiObject) -> None:
        """Change further fields of an object that is being adopted, such as its finalizers.

        The caller adds the owner reference. Subclasses may override this method, which by default changes nothing.
        """

    def unmark(self, obj: ApiObject) -> None:
        """Undo the changes of :meth:`mark` in an object that is being released.

        The caller removes the owner reference. Subclasses may override this method, which by default changes nothing.
        """

    def _selects(self, candidate: StoredObject) -> bool:
        return self._selector.matches(candidate.labels) and self.fits(candidate)

    async def _claimed(self, candidate: StoredObject) -> StoredObject | None:
        controller = self.controller_of(candidate)
        selected = self._selects(candidate)
        if controller:
            if controller == self.owner.uid and not selected and not self._is_leaving:
                await self._release(candidate)
            return candidate if controller == self.owner.uid and selected else None
        if not selected or self._is_leaving or "deletionTimestamp" in candidate.document["metadata"]:
            return None
        return await self._adopt(candidate)

    async def _adopt(self, candidate: StoredObject) -> StoredObject:
        if not self._may_adopt:
            await self._check_owner()
        reference = OwnerReference.from_document(reference_to(self.owner, self._owners))

        def change(obj: ApiObject) -> None:
            others = [r for r in obj.metadata.ownerReferences if r.uid != reference.uid]
            obj.metadata.ownerReferences = [reference, *others]
            self.mark(obj)

        return await self._client.update(self._objects, candidate, change)

    async def _release(self, candidate: StoredObject) -> None:
        def change(obj: ApiObject) -> None:
            obj.metadata.ownerReferences = [r for r in obj.metadata.ownerReferences if r.uid != self.owner.uid]
            self.unmark(obj)

        try:
            await self._client.update(self._objects, candidate, change)
        except ApiError as error:
            if error.reason not in ("NotFound", "Invalid"):
                raise

    async def _check_owner(self) -> None:
        """Read the owner from the storage, once, and check that it still exists and is not terminating.

        Raises ApiError otherwise, because the owner must not adopt objects then.
        """
        owner, resource = self.owner, self._owners
        fresh = await self._client.get(resource, owner.namespace, owner.name)
        if fresh.uid != owner.uid or "deletionTimestamp" in fresh.document["metadata"]:
            raise conflict(
                resource.group_resource,
                owner.name,
                f"{owner.name} cannot adopt objects: it was deleted or is terminating",
            )
        self._may_adopt = True
