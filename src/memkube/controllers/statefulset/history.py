"""The ControllerRevisions of one StatefulSet (``pkg/controller/history``)."""

import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject, OwnerReference
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apis.apps.v1.controllerrevisions.types import ControllerRevision
from memkube.apis.apps.v1.statefulsets.strategy import REVISIONS_KEPT
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.workloads.digest import fnv1_digest
from memkube.controllers.workloads.owners import reference_to
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

HASH_LABEL: Final = "controller.kubernetes.io/hash"
_LONGEST_PREFIX: Final = 223
_ESCAPED: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
CONTROLLER_REVISIONS: Final = ("apps", "v1", "controllerrevisions")


def data_of(stateful_set: StoredObject) -> Document:
    """Return the patch that restores the present template of a set."""
    return {"spec": {"template": {"$patch": "replace", **stateful_set.document["spec"]["template"]}}}


def template_of(revision: StoredObject, stateful_set: StoredObject) -> Document:
    """Return the template that a revision restores; the present one if the revision has none."""
    spec = revision.document["data"].get("spec") or {}
    template = spec.get("template")
    if template is None:
        template = stateful_set.document["spec"]["template"]
    return {name: value for name, value in template.items() if name != "$patch"}


def number_of(revision: StoredObject) -> int:
    """Return the revision number."""
    number: int = revision.document["revision"]
    return number


def age_order(revision: StoredObject) -> tuple[int, str, str]:
    """Sort key that puts the oldest revision first."""
    return number_of(revision), revision.document["metadata"]["creationTimestamp"], revision.name


def revision_name(stateful_set: StoredObject, data: Document, collisions: int) -> str:
    """Return the name of a revision: the set's name with a hash, which the collision count changes."""
    return f"{stateful_set.name[:_LONGEST_PREFIX]}-{_digest(data, collisions)}"


def new_revision(stateful_set: StoredObject, resource: Resource, number: int, collisions: int) -> ControllerRevision:
    """Return the revision of a set's present template."""
    revision, document, data = ControllerRevision(), stateful_set.document, data_of(stateful_set)
    revision.metadata.name = revision_name(stateful_set, data, collisions)
    labels = document["spec"]["template"].get("metadata", {}).get("labels") or {}
    revision.metadata.labels = {**labels, HASH_LABEL: _digest(data, collisions)}
    revision.metadata.annotations = dict(document["metadata"].get("annotations") or {})
    revision.metadata.ownerReferences = [OwnerReference.from_document(reference_to(stateful_set, resource))]
    revision.data, revision.revision = data, number
    return revision


def _digest(data: Document, collisions: int) -> str:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).translate(_ESCAPED)
    return fnv1_digest(f"{text}{collisions}".encode())


class Revisions(NamedTuple):
    """The current revision, the update revision, and the collision count."""

    current: StoredObject
    update: StoredObject
    collisions: int


class History:
    """Finds or creates the revision of a set's present template, and deletes old revisions."""

    def __init__(
        self, runtime: Runtime, stateful_set: StoredObject, resource: Resource, revisions: Iterable[StoredObject]
    ) -> None:
        self._client = runtime.client
        self._resource = runtime.registry.find(*CONTROLLER_REVISIONS).resource
        self._set = stateful_set
        self._owners = resource
        self._revisions = sorted(revisions, key=age_order)

    async def revisions(self) -> Revisions:
        """Return the current and update revisions. Raises ApiError if a revision cannot be written."""
        status = self._set.document["status"]
        collisions = status.get("collisionCount", 0)
        update, collisions = await self._update_revision(collisions)
        name = status.get("currentRevision", "")
        current = next((revision for revision in self._revisions if revision.name == name), update)
        return Revisions(current, update, collisions)

    async def forget_old(self, pod_revisions: Iterable[str], revisions: Revisions | None) -> None:
        """Delete the oldest unused revisions beyond ``revisionHistoryLimit``. Raises ApiError if a deletion fails."""
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
            # As in Kubernetes, the label has the hash of the first attempt, before any collision.
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
