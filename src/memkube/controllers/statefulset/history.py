"""The revisions of one StatefulSet as objects (``pkg/controller/history``)."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apis.apps.v1.controllerrevisions.types import ControllerRevision
from memkube.apis.apps.v1.statefulsets.strategy import REVISIONS_KEPT
from memkube.controllers.runtime import Runtime
from memkube.controllers.statefulset.revisions import age_order, data_of, new_revision, number_of
from memkube.registry.resource import Resource
from memkube.registry.stored import StoredObject

CONTROLLER_REVISIONS: Final = ("apps", "v1", "controllerrevisions")


class Revisions(NamedTuple):
    """The revision that pods come from, the one that they go to, and how often a name was taken."""

    current: StoredObject
    update: StoredObject
    collisions: int


class History:
    """Finds or writes the revision of a set's present template, and forgets old ones."""

    def __init__(
        self, runtime: Runtime, stateful_set: StoredObject, resource: Resource, revisions: Iterable[StoredObject]
    ) -> None:
        self._client = runtime.client
        self._resource = runtime.registry.find(*CONTROLLER_REVISIONS).resource
        self._set = stateful_set
        self._owners = resource
        self._revisions = sorted(revisions, key=age_order)

    async def revisions(self) -> Revisions:
        """The revisions that matter now. Raises ApiError."""
        status = self._set.document["status"]
        collisions = status.get("collisionCount", 0)
        update, collisions = await self._update_revision(collisions)
        name = status.get("currentRevision", "")
        current = next((revision for revision in self._revisions if revision.name == name), update)
        return Revisions(current, update, collisions)

    async def forget_old(self, pod_revisions: Iterable[str], revisions: Revisions | None) -> None:
        """Deletes the oldest of those that nothing is made from, beyond the number to keep. Raises ApiError."""
        live = set(pod_revisions)
        if revisions is not None:
            live |= {revisions.current.name, revisions.update.name}
        limit: int = self._set.document["spec"].get("revisionHistoryLimit", REVISIONS_KEPT)
        if limit < 0:
            return
        old = [revision for revision in self._revisions if revision.name not in live]
        for revision in old[: max(len(old) - limit, 0)]:
            await self._client.delete(self._resource, revision.namespace, revision.name, DeleteOptions())

    async def _update_revision(self, collisions: int) -> tuple[StoredObject, int]:
        data, known = data_of(self._set), self._revisions
        equal = [revision for revision in known if revision.document["data"] == data]
        if not equal:
            return await self._write_down(known, collisions)
        if equal[-1] is not known[-1]:
            return await self._make_latest(equal[-1], number_of(known[-1]) + 1), collisions
        return known[-1], collisions

    async def _make_latest(self, revision: StoredObject, number: int) -> StoredObject:
        def change(obj: ApiObject) -> None:
            assert isinstance(obj, ControllerRevision)
            obj.revision = number

        return await self._client.update(self._resource, revision, change)

    async def _write_down(self, known: Sequence[StoredObject], collisions: int) -> tuple[StoredObject, int]:
        number = number_of(known[-1]) + 1 if known else 1
        label = new_revision(self._set, self._owners, number, collisions).metadata.labels
        while True:
            revision = new_revision(self._set, self._owners, number, collisions)
            # As in the reference, the label tells of the first name that was tried.
            revision.metadata.labels = dict(label)
            try:
                return await self._client.create(self._resource, revision, self._set.namespace), collisions
            except ApiError as error:
                if error.reason != "AlreadyExists":
                    raise
            taken = await self._client.get(self._resource, self._set.namespace, revision.metadata.name)
            if taken.document["data"] == revision.data:
                return taken, collisions
            collisions += 1
