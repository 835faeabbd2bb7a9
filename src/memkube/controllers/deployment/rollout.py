"""One reconciliation of a Deployment. Each step is a method of the class Rollout."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import find_condition
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.time import Time
from memkube.apis.apps.v1.deployments.types import Deployment, DeploymentStatus
from memkube.apis.apps.v1.replicasets.types import ReplicaSet
from memkube.controllers.deployment.new_replica_set import replica_set_for, same_template
from memkube.controllers.deployment.sizes import (
    REVISION,
    new_size,
    replicas_annotations,
    revised_annotations,
    revision_of,
    wanted,
)
from memkube.controllers.deployment.status import (
    PAUSED,
    PROGRESSING,
    TIMED_OUT,
    condition,
    counted_status,
    has_deadline,
    is_complete,
    put,
    rollout_status,
)
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.workloads.pod_control import is_namespace_terminating
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

DEPLOYMENTS: Final = ("apps", "v1", "deployments")
REPLICA_SETS: Final = ("apps", "v1", "replicasets")
_NO_LIMIT: Final = 2**31 - 1


@dataclass(slots=True, eq=False)
class StoredReplicaSet:
    """A ReplicaSet as a model, together with the stored revision that the model was decoded from."""

    stored: StoredObject
    model: ReplicaSet

    @classmethod
    def of(cls, stored: StoredObject) -> "StoredReplicaSet":
        """Decode a stored ReplicaSet into a model."""
        return cls(stored, ReplicaSet.from_document(stored.document))


class Rollout:
    """A Deployment and its ReplicaSets during one reconciliation.

    A write raises ApiError (409) if another client has changed the object since it was read.
    """

    def __init__(
        self, runtime: Runtime, events: EventRecorder, deployment: StoredObject, sets: Iterable[StoredObject]
    ) -> None:
        self._runtime = runtime
        self._events = events
        self._stored = deployment
        self.deployment = Deployment.from_document(deployment.document)
        held = sorted(
            map(StoredReplicaSet.of, sets), key=lambda h: (h.model.metadata.creationTimestamp or "", h.stored.name)
        )
        template = self.deployment.spec.template
        self.new = next((h for h in held if same_template(h.model.spec.template, template)), None)
        self.old = [h for h in held if h is not self.new]

    @property
    def sets(self) -> list[StoredReplicaSet]:
        """All ReplicaSets of the Deployment, from oldest to newest.

        The one with the present pod template comes last.
        """
        return [*self.old, *([self.new] if self.new else [])]

    @property
    def models(self) -> list[ReplicaSet]:
        """All ReplicaSets of the Deployment as typed models instead of JSON data, in the order of `sets`."""
        return [held.model for held in self.sets]

    def active_old(self) -> list[StoredReplicaSet]:
        """The Deployment's ReplicaSets of earlier pod templates whose desired number of replicas is not 0."""
        return [held for held in self.old if wanted(held.model)]

    async def note_pause(self) -> None:
        """Set the reason of the condition Progressing if the Deployment was paused or resumed."""
        current = find_condition(self.deployment.status.conditions, PROGRESSING)
        if not has_deadline(self.deployment) or (current is not None and current.reason == TIMED_OUT):
            return
        was, paused = current is not None and current.reason == PAUSED, self.deployment.spec.paused
        if was != paused:
            reason, text = (PAUSED, "paused") if paused else ("DeploymentResumed", "resumed")
            await self._note("Unknown", reason, f"Deployment is {text}")

    async def renew(self) -> None:
        """Update annotations and ``minReadySeconds`` of the ReplicaSet for the present pod template, if it exists."""
        if self.new is None:
            return
        annotations = revised_annotations(self.deployment, self.new.model, self._next_revision())
        seconds = self.deployment.spec.minReadySeconds
        new = self.new.model
        if annotations != new.metadata.annotations or seconds != new.spec.minReadySeconds:

            def change(replica_set: ReplicaSet) -> None:
                replica_set.metadata.annotations = annotations
                replica_set.spec.minReadySeconds = seconds

            await self._update(self.new, change)
            return
        revision = new.metadata.annotations.get(REVISION, "")
        status = self.deployment.status
        unnoted = has_deadline(self.deployment) and find_condition(status.conditions, PROGRESSING) is None
        if unnoted:
            text = f'Found new replica set "{self.new.stored.name}"'
            put(status, condition(PROGRESSING, "True", "FoundNewReplicaSet", text, self._now()))
        if unnoted or self.deployment.metadata.annotations.get(REVISION) != revision:
            await self._write(status, revision)

    async def ensure_new(self) -> None:
        """Create the ReplicaSet for the Deployment's present pod template, unless it exists.

        Raises ApiError if the creation fails.
        """
        await self.renew()
        if self.new is not None:
            return
        made = replica_set_for(self.deployment, self._stored, self._deployments)
        made.spec.replicas = new_size(self.deployment, self.models, 0)
        revision = self._next_revision()
        made.metadata.annotations = revised_annotations(self.deployment, made, revision)
        made.metadata.annotations |= replicas_annotations(self.deployment)
        name, size = made.metadata.name, made.spec.replicas
        try:
            stored = await self._runtime.client.create(self._replica_sets, made, self._stored.namespace)
        except ApiError as error:
            unseen = await self._taken_by(name) if error.reason == "AlreadyExists" else None
            if unseen is None:
                await self._explain(name, error)
                raise
            self.new = StoredReplicaSet.of(unseen)
            if self.deployment.metadata.annotations.get(REVISION) != str(revision):
                await self._write(self.deployment.status, str(revision))
            return
        self.new = StoredReplicaSet.of(stored)
        if size > 0:
            await self.report("Normal", "ScalingReplicaSet", f"Scaled up replica set {name} from 0 to {size}")
        status = self.deployment.status
        if has_deadline(self.deployment):
            text = f'Created new replica set "{name}"'
            put(status, condition(PROGRESSING, "True", "NewReplicaSetCreated", text, self._now()))
        await self._write(status, str(revision))

    async def scale(self, held: StoredReplicaSet, size: int, *, noting: bool = False) -> bool:
        """Set the desired replicas of the ReplicaSet `held` to `size`, and record an Event.

        Returns True if the number of replicas has changed. If it has not changed, nothing is written. Exception: if
        `noting` is True, outdated annotations about the Deployment's replicas are updated nevertheless.
        """
        before = wanted(held.model)
        notes = replicas_annotations(self.deployment)
        annotations = {**held.model.metadata.annotations, **notes}
        if before == size and not (noting and annotations != held.model.metadata.annotations):
            return False

        def change(replica_set: ReplicaSet) -> None:
            replica_set.spec.replicas = size
            replica_set.metadata.annotations = annotations

        await self._update(held, change)
        if before == size:
            return False
        way = "up" if before < size else "down"
        text = f"Scaled {way} replica set {held.stored.name} from {before} to {size}"
        await self.report("Normal", "ScalingReplicaSet", text)
        return True

    async def clean_up(self) -> None:
        """Delete the Deployment's oldest ReplicaSets that have no pods, beyond ``revisionHistoryLimit``."""
        limit = self.deployment.spec.revisionHistoryLimit
        kept = [held for held in self.old if held.model.metadata.deletionTimestamp is None]
        if limit in (None, _NO_LIMIT):
            return
        kept.sort(key=lambda held: revision_of(held.model) or 0)
        for held in kept[: max(len(kept) - (limit or 0), 0)]:
            model = held.model
            unseen = model.metadata.generation > model.status.observedGeneration
            if model.status.replicas or wanted(model) or unseen:
                continue
            with ignoring_absence():
                await self._runtime.client.delete(
                    self._replica_sets, held.stored.namespace, held.stored.name, DeleteOptions()
                )

    async def clean_up_if_complete(self) -> None:
        """Delete the oldest ReplicaSets beyond ``revisionHistoryLimit`` if the rollout is complete."""
        if is_complete(self.deployment, self.deployment.status):
            await self.clean_up()

    async def write_counts(self) -> None:
        """Write the numbers of pods into the Deployment's status."""
        new = self.new.model if self.new else None
        await self._write_if_new(counted_status(self.deployment, self.models, new, self._now()))

    async def write_progress(self) -> None:
        """Write the numbers of pods and the conditions of the rollout into the Deployment's status."""
        new = self.new.model if self.new else None
        await self._write_if_new(rollout_status(self.deployment, self.models, new, self._runtime.clock.now()))

    def _next_revision(self) -> int:
        return max((revision_of(held.model) or 0 for held in self.old), default=0) + 1

    async def _explain(self, name: str, error: ApiError) -> None:
        """Report in an Event that the new ReplicaSet `name` could not be created; `error` is the reason.

        If the Deployment has a progress deadline, also report it in the condition Progressing. Report nothing if the
        name is already taken, or if the namespace is terminating.
        """
        if error.reason != "AlreadyExists" and not is_namespace_terminating(error):
            text = f'Failed to create new replica set "{name}": {error.message}'
            if has_deadline(self.deployment):
                await self._note("False", "ReplicaSetCreateError", text)
            await self.report("Warning", "ReplicaSetCreateError", text)

    async def _taken_by(self, name: str) -> StoredObject | None:
        """Return the ReplicaSet that already has the name of the new ReplicaSet.

        If the ReplicaSet belongs to another controller or has another pod template, increment the Deployment's
        ``collisionCount``, so that the next attempt uses another name, and return None.
        """
        other = await self._runtime.client.get(self._replica_sets, self._stored.namespace, name)
        references = other.document["metadata"].get("ownerReferences") or []
        mine = any(r.get("controller") and r["uid"] == self._stored.uid for r in references)
        template = ReplicaSet.from_document(other.document).spec.template
        if mine and same_template(template, self.deployment.spec.template):
            return other
        status = self.deployment.status
        status.collisionCount = (status.collisionCount or 0) + 1
        await self._write(status)
        return None

    async def _note(self, status: str, reason: str, text: str) -> None:
        put(self.deployment.status, condition(PROGRESSING, status, reason, text, self._now()))
        await self._write(self.deployment.status)

    async def _write_if_new(self, status: DeploymentStatus) -> None:
        if status != self.deployment.status:
            await self._write(status)

    async def _write(self, status: DeploymentStatus, revision: str = "") -> None:
        """Write the Deployment's status, and the annotation with the revision of the present template."""

        def change(deployment: ApiObject) -> None:
            assert isinstance(deployment, Deployment)
            deployment.status = status.model_copy(deep=True)
            deployment.metadata.resourceVersion = self._stored.resource_version
            if revision:
                deployment.metadata.annotations = {**deployment.metadata.annotations, REVISION: revision}

        client, resource = self._runtime.client, self._deployments
        self._stored = await client.update(resource, self._stored, change, subresource="status")
        self.deployment = Deployment.from_document(self._stored.document)

    async def change(self, change: Callable[[Deployment], None]) -> None:
        """Change the Deployment with `change`, which modifies it in place, and write its metadata and spec.

        Raises ApiError (409) if another client has changed the Deployment since it was read.
        """

        def insist(obj: ApiObject) -> None:
            assert isinstance(obj, Deployment)
            obj.metadata.resourceVersion = self._stored.resource_version
            change(obj)

        self._stored = await self._runtime.client.update(self._deployments, self._stored, insist)
        self.deployment = Deployment.from_document(self._stored.document)

    async def _update(self, held: StoredReplicaSet, change: Callable[[ReplicaSet], None]) -> None:
        def insist(obj: ApiObject) -> None:
            assert isinstance(obj, ReplicaSet)
            obj.metadata.resourceVersion = held.stored.resource_version
            change(obj)

        held.stored = await self._runtime.client.update(self._replica_sets, held.stored, insist)
        held.model = ReplicaSet.from_document(held.stored.document)

    async def report(self, kind: Literal["Normal", "Warning"], reason: str, text: str) -> None:
        """Record an Event about the Deployment. `kind` is its type (Normal or Warning), and `text` its message."""
        await self._events.record(self._stored, Report(kind, reason, text))

    def _now(self) -> Time:
        return written_now(self._runtime.clock)

    @property
    def _deployments(self) -> Resource:
        return self._runtime.registry.find(*DEPLOYMENTS).resource

    @property
    def _replica_sets(self) -> Resource:
        return self._runtime.registry.find(*REPLICA_SETS).resource
