"""The ControllerRevisions of a DaemonSet (``constructHistory`` and ``cleanupHistory`` of ``update.go``)."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apis.apps.v1.daemonsets.types import DaemonSet
from memkube.controllers.daemonset.placement import target_node
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import TryAgain
from memkube.controllers.workloads.owners import Claims
from memkube.controllers.workloads.pod_control import PODS
from memkube.controllers.workloads.revisions import (
    CONTROLLER_REVISIONS,
    REVISION_HASH,
    age_order,
    data_of,
    new_revision,
    number_of,
    renumber,
)
from memkube.controllers.workloads.template_hash import template_hash
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

Pods: TypeAlias = Callable[[], Awaitable[Sequence[StoredObject]]]
"""Function that claims the pods that a DaemonSet selects, and returns the DaemonSet's pods."""


class Revisions(NamedTuple):
    """The ControllerRevisions of a DaemonSet: that of its present pod template, and those of earlier templates."""

    current: StoredObject
    """The ControllerRevision of the DaemonSet's present pod template."""
    old: Sequence[StoredObject]
    """The ControllerRevisions of earlier pod templates, oldest first."""

    @property
    def hash(self) -> str:
        """The hash of the current pod template, which pods with this template have in a label."""
        return self.current.labels.get(REVISION_HASH, "")


class History:
    """Finds or creates the ControllerRevision of a DaemonSet's present pod template, and deletes old revisions.

    All methods raise ApiError if a write fails.
    """

    def __init__(self, runtime: Runtime, daemon_set: StoredObject, owners: Resource) -> None:
        self._client = runtime.client
        self._resource = runtime.registry.find(*CONTROLLER_REVISIONS).resource
        self._pods = runtime.registry.find(*PODS).resource
        self._daemon_set = daemon_set
        self._owners = owners

    async def construct(self, claims: Claims, candidates: Iterable[StoredObject], pods: Pods) -> Revisions:
        """Return the ControllerRevisions that the DaemonSet claims, and create the current one if it is missing.

        `candidates` are the revisions that the DaemonSet controls, and revisions without a controller. `claims` adopts
        a revision without a controller if the DaemonSet's selector matches it. If several revisions have the present
        template, only the newest of them is kept. Then the DaemonSet's pods, which `pods` returns, get the label of
        this revision.

        Raises TryAgain if a revision of another template already has the name of the new revision.
        """
        data = data_of(self._daemon_set)
        equal: list[StoredObject] = []
        old: list[StoredObject] = []
        for revision in sorted(await claims.claim(candidates), key=age_order):
            labelled = await self._with_hash_label(revision)
            (equal if labelled.document["data"] == data else old).append(labelled)
        number = max(map(number_of, old), default=0) + 1
        if not equal:
            return Revisions(await self._create(number), old)
        current = equal.pop()
        if equal:
            await self._relabel(await pods(), current)
            for duplicate in equal:
                await self._delete(duplicate)
        if number_of(current) < number:
            await renumber(self._client, self._resource, current, number)
        return Revisions(current, old)

    async def clean_up(self, revisions: Revisions, pods: Pods) -> None:
        """Delete the oldest ControllerRevisions beyond ``revisionHistoryLimit``, except those of existing pods."""
        surplus = len(revisions.old) - self._daemon_set.document["spec"].get("revisionHistoryLimit", 0)
        if surplus <= 0:
            return
        live = {pod.labels.get(REVISION_HASH) for pod in await pods() if target_node(pod)}
        unused = [revision for revision in revisions.old if revision.labels.get(REVISION_HASH, "") not in live]
        for revision in unused[:surplus]:
            await self._delete(revision)

    async def _with_hash_label(self, revision: StoredObject) -> StoredObject:
        """Return a ControllerRevision with the label that contains its hash.

        If the revision has no such label, the label is added with the revision's name as value.
        """
        if REVISION_HASH in revision.labels:
            return revision
        return await self._label(self._resource, revision, revision.name)

    async def _relabel(self, pods: Iterable[StoredObject], current: StoredObject) -> None:
        digest = current.labels.get(REVISION_HASH, "")
        for pod in pods:
            if pod.labels.get(REVISION_HASH, "") != digest:
                await self._label(self._pods, pod, digest)

    async def _label(self, resource: Resource, stored: StoredObject, digest: str) -> StoredObject:
        def change(obj: ApiObject) -> None:
            obj.metadata.labels = {**obj.metadata.labels, REVISION_HASH: digest}

        return await self._client.update(resource, stored, change)

    async def _create(self, number: int) -> StoredObject:
        daemon_set = DaemonSet.from_document(self._daemon_set.document)
        digest = template_hash(daemon_set.spec.template, daemon_set.status.collisionCount)
        name = f"{self._daemon_set.name}-{digest}"
        revision = new_revision(self._daemon_set, self._owners, name, {REVISION_HASH: digest}, number)
        try:
            return await self._client.create(self._resource, revision, self._daemon_set.namespace)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise
        taken = await self._client.get(self._resource, self._daemon_set.namespace, name)
        if taken.document["data"] == revision.data:
            return taken
        await self._count_collision(daemon_set.status.collisionCount)
        raise TryAgain

    async def _count_collision(self, known: int | None) -> None:
        """Increment the DaemonSet's ``collisionCount``, so that the next ControllerRevision gets another hash.

        Do nothing if the stored count is not `known`.
        """

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, DaemonSet)
            if obj.status.collisionCount == known:
                obj.status.collisionCount = (known or 0) + 1

        await self._client.update(self._owners, self._daemon_set, change, subresource="status")

    async def _delete(self, revision: StoredObject) -> None:
        await self._client.delete(self._resource, revision.namespace, revision.name, DeleteOptions())
