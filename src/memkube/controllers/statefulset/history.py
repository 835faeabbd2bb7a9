"""The ControllerRevisions of one StatefulSet (``pkg/controller/history``)."""

import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apis.apps.v1.statefulsets.strategy import REVISIONS_KEPT, default_stateful_set
from memkube.apis.apps.v1.statefulsets.types import StatefulSet
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.workloads.digest import fnv1_digest
from memkube.controllers.workloads.revisions import (
    CONTROLLER_REVISIONS,
    age_order,
    data_of,
    new_revision,
    number_of,
    renumber,
    template_of,
)
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

HASH_LABEL: Final = "controller.kubernetes.io/hash"
_LONGEST_PREFIX: Final = 223
_ESCAPED: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def revision_name(stateful_set: StoredObject, data: Document, collisions: int) -> str:
    """Return the name of a ControllerRevision: the StatefulSet's name, and a hash of data and collision count."""
    return f"{stateful_set.name[:_LONGEST_PREFIX]}-{_digest(data, collisions)}"


def _digest(data: Document, collisions: int) -> str:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).translate(_ESCAPED)
    return fnv1_digest(f"{text}{collisions}".encode())


class Revisions(NamedTuple):
    """The StatefulSet's current revision, its update revision, and its collision count."""

    current: StoredObject
    update: StoredObject
    collisions: int


class History:
    """Finds or creates the ControllerRevision of a StatefulSet's present pod template, and deletes old revisions."""

    def __init__(
        self, runtime: Runtime, stateful_set: StoredObject, resource: Resource, revisions: Iterable[StoredObject]
    ) -> None:
        self._client = runtime.client
        self._resource = runtime.registry.find(*CONTROLLER_REVISIONS).resource
        self._set = stateful_set
        self._owners = resource
        self._revisions = sorted(revisions, key=age_order)

    async def revisions(self) -> Revisions:
        """Return the StatefulSet's current and update revision. A missing update revision is created.

        Raises ApiError if a revision cannot be written.
        """
        status = self._set.document["status"]
        collisions = status.get("collisionCount", 0)
        update, collisions = await self._update_revision(collisions)
        name = status.get("currentRevision", "")
        current = next((revision for revision in self._revisions if revision.name == name), update)
        return Revisions(current, update, collisions)

    async def forget_old(self, pod_revisions: Iterable[str], revisions: Revisions | None) -> None:
        """Delete the oldest ControllerRevisions beyond ``revisionHistoryLimit`` that no pod has.

        Raises ApiError if a deletion fails.
        """
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
            if known and self._is_equal_with_defaults(known[-1]):
                return known[-1], collisions
            return await self._write_down(known, collisions)
        if equal[-1] is not known[-1]:
            latest = number_of(known[-1]) + 1
            return await renumber(self._client, self._resource, equal[-1], latest), collisions
        return known[-1], collisions

    def _is_equal_with_defaults(self, revision: StoredObject) -> bool:
        """True if a ControllerRevision, completed with defaults, has the StatefulSet's present pod template.

        A revision from an earlier Kubernetes version lacks the defaults of newer fields.
        """
        document = self._set.document
        spec = {**document["spec"], "template": template_of(revision, self._set)}
        restored = StatefulSet.from_document({**document, "spec": spec})
        default_stateful_set(restored)
        present: Document = document["spec"]["template"]
        return restored.spec.template.to_document() == present

    async def _write_down(self, known: Sequence[StoredObject], collisions: int) -> tuple[StoredObject, int]:
        number = number_of(known[-1]) + 1 if known else 1
        data = data_of(self._set)
        # As in Kubernetes, the label keeps the hash of the first attempt, even if the name must be changed after a
        # collision.
        label = {HASH_LABEL: _digest(data, collisions)}
        while True:
            name = revision_name(self._set, data, collisions)
            revision = new_revision(self._set, self._owners, name, label, number)
            try:
                return await self._client.create(self._resource, revision, self._set.namespace), collisions
            except ApiError as error:
                if error.reason != "AlreadyExists":
                    raise
            taken = await self._client.get(self._resource, self._set.namespace, name)
            if taken.document["data"] == data:
                return taken, collisions
            collisions += 1
