"""One reconciliation of a StatefulSet: which pods to create, repair and delete now (``stateful_set_control.go``)."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeVar

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.statefulset.history import Revisions
from memkube.controllers.statefulset.pod_control import (
    StatefulPodControl,
    new_pod,
    ordinal_of,
    revision_of,
)
from memkube.controllers.workloads.pod_owners import Key, PodOwners
from memkube.controllers.workloads.pod_state import is_available, is_ended, is_ready, is_terminating
from memkube.controllers.workloads.revisions import template_of
from memkube.controllers.workloads.slow_start import slow_start
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

_COMPARED: Final = (
    "replicas",
    "readyReplicas",
    "availableReplicas",
    "currentReplicas",
    "updatedReplicas",
    "currentRevision",
    "updateRevision",
)
T = TypeVar("T")
_MOST_AT_ONCE: Final = 500


def is_running_and_ready(pod: StoredObject) -> bool:
    """True if the pod is in the phase Running and its condition Ready is True."""
    return pod.document["status"].get("phase") == "Running" and is_ready(pod)


def new_status(stateful_set: Document, pods: Iterable[StoredObject], revisions: Revisions, now: datetime) -> Document:
    """Return the new status of a StatefulSet, with the numbers of its `pods` by readiness and by revision."""
    pods, seconds = list(pods), stateful_set["spec"].get("minReadySeconds", 0)
    ready = [pod for pod in pods if is_running_and_ready(pod)]
    staying = [revision_of(pod) for pod in pods if not is_terminating(pod)]
    return {
        "observedGeneration": stateful_set["metadata"].get("generation", 0),
        "replicas": len(pods),
        "readyReplicas": len(ready),
        "availableReplicas": sum(is_available(pod, seconds, now) for pod in ready),
        "currentReplicas": staying.count(revisions.current.name),
        "updatedReplicas": staying.count(revisions.update.name),
        "currentRevision": revisions.current.name,
        "updateRevision": revisions.update.name,
        "collisionCount": revisions.collisions,
    }


def complete_update(stateful_set: Document, status: Document) -> None:
    """End a rolling update: make the update revision the current one if all pods have it and are ready."""
    spec = stateful_set["spec"]
    if spec["updateStrategy"].get("type") != "RollingUpdate":
        return
    if all(status[name] == spec.get("replicas", 0) for name in ("updatedReplicas", "readyReplicas", "replicas")):
        status["currentReplicas"] = status["updatedReplicas"]
        status["currentRevision"] = status["updateRevision"]


def differs(status: Document, other: Document) -> bool:
    """True if a computed status of a StatefulSet differs from the stored status."""
    if status["observedGeneration"] > other.get("observedGeneration", 0):
        return True
    return any((status[name] or None) != (other.get(name) or None) for name in _COMPARED)


@dataclass(frozen=True, slots=True)
class View:
    """A StatefulSet with its pods and revisions at one instant."""

    stateful_set: StoredObject
    resource: Resource
    revisions: Revisions
    pods: Sequence[StoredObject]
    now: datetime


class Rollout:
    """Creates, repairs and deletes pods of one StatefulSet, as far as its rules allow now."""

    def __init__(self, view: View, control: StatefulPodControl, owners: PodOwners) -> None:
        self._view = view
        self._control = control
        self._owners = owners
        self._spec: dict[str, Any] = view.stateful_set.document["spec"]
        self._key: Key = view.stateful_set.namespace, view.stateful_set.name
        self._start: int = (self._spec.get("ordinals") or {}).get("start", 0)
        self._in_order: bool = self._spec.get("podManagementPolicy") != "Parallel"
        self._seconds: int = self._spec.get("minReadySeconds", 0)
        end = self._start + self._spec.get("replicas", 0)
        self._wanted = range(self._start, end)
        numbered = [(ordinal_of(pod), pod) for pod in view.pods]
        self._present = {ordinal: pod for ordinal, pod in numbered if ordinal in self._wanted}
        surplus = [pod for ordinal, pod in numbered if ordinal >= 0 and ordinal not in self._wanted]
        self._surplus = sorted(surplus, key=ordinal_of, reverse=True)
        self.replaced = 0
        """Number of pods that were deleted in this reconciliation because they had an old revision."""

    @property
    def counted(self) -> list[StoredObject]:
        """All pods that the StatefulSet's status counts: those with desired ordinals, and surplus pods."""
        return [*self._present.values(), *self._surplus]

    async def advance(self) -> None:
        """Create missing pods, then delete surplus pods, then replace pods of old revisions.

        Stops early if later pods must wait for earlier ones. Raises ApiError if a write fails.
        """
        if await self._each(self._wanted, self._tend):
            return
        await self._each(self._surplus, self._keep_claims)
        if await self._each(self._surplus, self._remove):
            return
        if self._spec["updateStrategy"].get("type") != "OnDelete":
            await self._update()

    async def _each(self, items: Sequence[T], step: Callable[[T], Awaitable[bool]]) -> bool:
        """Call `step` for each of `items` in order, until it returns True because the later pods must wait.

        Returns True if the later pods must wait. With parallel pod management, pods never wait for each other, so the
        result is False: `step` is called for batches that double in size, until a call raises an error.
        """
        if self._in_order:
            for item in items:
                if await step(item):
                    return True
            return False
        failure = await slow_start(items, step, _MOST_AT_ONCE)
        if failure is not None:
            raise failure
        return False

    async def _tend(self, ordinal: int) -> bool:
        pod = self._present.get(ordinal)
        if pod is None:
            new = self._new_pod(ordinal)
            if not await self._control.must_wait(new, ordinal):
                self._owners.expect_creation(self._key, await self._control.create(new, ordinal))
            return True
        if is_ended(pod):
            if not is_terminating(pod):
                await self._delete(pod)
            return True
        if pod.document["status"].get("phase") == "Pending":
            await self._control.complete_claims(pod)
        if self._in_order and (is_terminating(pod) or not self._serves(pod)):
            return True
        if not await self._control.has_identity_and_claims(pod):
            await self._control.repair(pod)
        return False

    async def _keep_claims(self, pod: StoredObject) -> bool:
        if not await self._control.are_claims_kept(pod):
            await self._control.keep_claims(pod)
        return False

    async def _remove(self, pod: StoredObject) -> bool:
        if is_terminating(pod):
            return self._in_order
        if self._in_order and not self._serves(pod) and pod is not self._first_unavailable():
            return True
        await self._delete(pod)
        return True

    async def _update(self) -> None:
        """Delete the pod with the highest ordinal among those of old revisions, if the pods above it are available.

        The pod is created again later, with the update revision.
        """
        rolling = self._spec["updateStrategy"].get("rollingUpdate") or {}
        for ordinal in reversed(self._wanted[rolling.get("partition", 0) :]):
            pod = self._present.get(ordinal)
            if pod is None:
                return
            if revision_of(pod) != self._view.revisions.update.name and not is_terminating(pod):
                await self._delete(pod)
                self.replaced += 1
                return
            if self._is_unavailable(pod):
                return

    async def _delete(self, pod: StoredObject) -> None:
        with self._owners.deleting(self._key, pod):
            await self._control.delete(pod)

    def _new_pod(self, ordinal: int) -> Pod:
        view = self._view
        revision = view.revisions.current if self._stays_current(ordinal) else view.revisions.update
        template = template_of(revision, view.stateful_set)
        return new_pod(view.stateful_set, view.resource, template, ordinal, revision.name)

    def _stays_current(self, ordinal: int) -> bool:
        strategy = self._spec["updateStrategy"]
        rolling = strategy.get("rollingUpdate")
        if rolling is not None:
            return ordinal < self._start + int(rolling.get("partition", 0))
        current: int = self._view.stateful_set.document["status"].get("currentReplicas", 0)
        return bool(strategy.get("type") == "RollingUpdate") and ordinal < self._start + current

    def _first_unavailable(self) -> StoredObject | None:
        """Return the first unavailable pod by ordinal, or None if all pods are available.

        Surplus pods come after the desired pods. If a desired pod is missing, the search ends there, and the result is
        None.
        """
        for ordinal in self._wanted:
            pod = self._present.get(ordinal)
            if pod is None or self._is_unavailable(pod):
                return pod
        return next((pod for pod in reversed(self._surplus) if self._is_unavailable(pod)), None)

    def _serves(self, pod: StoredObject) -> bool:
        return is_running_and_ready(pod) and is_available(pod, self._seconds, self._view.now)

    def _is_unavailable(self, pod: StoredObject) -> bool:
        return is_terminating(pod) or not is_available(pod, self._seconds, self._view.now)
