"""Creates and deletes the pods of ReplicaSets and ReplicationControllers.

Sources: ``pkg/controller/replicaset``, ``pkg/controller/replication``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memkube.apimachinery import labels
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector as LabelSelectorModel
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.controllers.framework.event_recorder import EventRecorder
from memkube.controllers.framework.informer import ResourceName
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.workloads.owners import Claims, controller_uid
from memkube.controllers.workloads.pod_control import PodControl, ignoring_namespace_termination, pod_of
from memkube.controllers.workloads.pod_owners import Key, OwnerKind, PodOwners
from memkube.controllers.workloads.pod_state import (
    is_active,
    is_available,
    is_ended,
    is_ready,
    is_terminating,
    next_available,
    pods_to_delete,
)
from memkube.controllers.workloads.slow_start import slow_start
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

_FAILURE: Final = "ReplicaFailure"
_BURST: Final = 500
"""Maximum number of pods that are created or deleted at once. The pods are then counted again."""


@dataclass(frozen=True, slots=True)
class ReplicatedKind:
    """The properties that differ between ReplicaSets and ReplicationControllers.

    One implementation reconciles both kinds.
    """

    owners: OwnerKind
    component: str
    """Name of the component that reports Events about objects of this kind."""
    counts_terminating: bool
    """True if the status of this kind has the field ``terminatingReplicas``."""


def _by_labels(document: Document) -> LabelSelector:
    return labels.from_model(LabelSelectorModel(matchLabels=document["spec"].get("selector") or {}))


REPLICA_SETS: Final = ReplicatedKind(
    OwnerKind(ResourceName("apps", "v1", "replicasets"), "ReplicaSet"),
    "replicaset-controller",
    counts_terminating=True,
)


REPLICATION_CONTROLLERS: Final = ReplicatedKind(
    OwnerKind(ResourceName("", "v1", "replicationcontrollers"), "ReplicationController", _by_labels),
    "replication-controller",
    counts_terminating=False,
)


@dataclass(frozen=True, slots=True)
class Counted:
    """Numbers of a ReplicaSet's or ReplicationController's pods, from which its status is computed."""

    active: Sequence[StoredObject]
    terminating: int | None
    """Number of terminating pods; None for a kind whose status does not have this number."""
    failure: str | None
    """Message of the error that prevented the creation or deletion of pods; None without an error."""
    now: datetime


def new_status(owner: Document, counted: Counted, written: Time) -> Document:
    """Return the new status of `owner`, a ReplicaSet or ReplicationController. `counted` has the numbers of its pods.

    `written` is the time for a condition that changes.
    """
    spec, active = owner["spec"], counted.active
    seconds: int = spec.get("minReadySeconds", 0)
    wanted: dict[str, str] = (spec["template"].get("metadata") or {}).get("labels") or {}
    status: Document = {
        "replicas": len(active),
        "fullyLabeledReplicas": sum(wanted.items() <= pod.labels.items() for pod in active),
        "readyReplicas": sum(is_ready(pod) for pod in active),
        "availableReplicas": sum(is_available(pod, seconds, counted.now) for pod in active),
        "observedGeneration": owner["metadata"].get("generation", 0),
        "conditions": _conditions(owner, counted, written),
    }
    if counted.terminating is not None:
        status["terminatingReplicas"] = counted.terminating
    return status


def differs(status: Document, other: Document) -> bool:
    """Return True if two statuses of a ReplicaSet differ.

    A missing number counts as 0, except ``terminatingReplicas``, which differs from 0 if it is missing.
    """
    names = status.keys() | other.keys()
    return any((status.get(name) or None) != (other.get(name) or None) for name in names) or (
        ("terminatingReplicas" in status) != ("terminatingReplicas" in other)
    )


def _conditions(owner: Document, counted: Counted, written: Time) -> list[Document]:
    conditions: list[Document] = owner["status"].get("conditions") or []
    failed = next((condition for condition in conditions if condition["type"] == _FAILURE), None)
    if counted.failure is None:
        return [condition for condition in conditions if condition is not failed]
    if failed is not None:
        return conditions
    missing = len(counted.active) < owner["spec"].get("replicas", 0)
    new = {
        "type": _FAILURE,
        "status": "True",
        "lastTransitionTime": written,
        "reason": "FailedCreate" if missing else "FailedDelete",
        "message": counted.failure,
    }
    return [*conditions, new]


class _Replication:
    """Reconciles ReplicaSets or ReplicationControllers: creates and deletes pods, and writes the status."""

    def __init__(self, runtime: Runtime, kind: ReplicatedKind) -> None:
        self._runtime = runtime
        self._kind = kind
        self._control = PodControl(runtime, EventRecorder(runtime, kind.component))
        self._owners = PodOwners(runtime, kind.owners, self._sync)

    async def _sync(self, key: Key) -> None:
        resource, owner = self._owners.resource, self._owners.get(key)
        if resource is None or owner is None:
            return
        wait = self._owners.expected.seconds_left(key)
        selector, pods = self._owners.selector(owner), self._owners.candidates(owner)
        claims = Claims(self._runtime, self._control.pods, owner, resource, selector)
        active = await claims.claim([pod for pod in pods if is_active(pod)])
        failure: ApiError | None = None
        if wait <= 0 and "deletionTimestamp" not in owner.document["metadata"]:
            self._owners.expected.forget(key)
            failure = await self._manage(key, owner, resource, active)
        counted = Counted(
            active,
            self._terminating(owner, pods, selector) if self._kind.counts_terminating else None,
            failure.message if failure else None,
            self._runtime.clock.now(),
        )
        await self._write_status(owner, resource, counted)
        if failure is not None:
            raise failure
        min_ready: int = owner.document["spec"].get("minReadySeconds", 0)
        if (seconds := next_available(active, min_ready, counted.now)) is not None:
            self._owners.queue.add_after(key, seconds)
        if wait > 0:
            self._owners.queue.add_after(key, wait)

    async def _manage(
        self, key: Key, owner: StoredObject, resource: Resource, active: Sequence[StoredObject]
    ) -> ApiError | None:
        """Create missing pods or delete surplus pods of `owner`, a ReplicaSet or ReplicationController.

        At most 500 pods are created or deleted at once. `key` is the owner's key in the work queue, `resource` its
        resource, and `active` its pods that have not ended and are not terminating. Returns the first error, or None if
        all requests succeeded.
        """
        surplus = len(active) - owner.document["spec"].get("replicas", 0)
        if surplus < 0:
            return await self._create(key, owner, resource, min(-surplus, _BURST))
        return await self._delete(key, owner, active, min(surplus, _BURST)) if surplus else None

    async def _create(self, key: Key, owner: StoredObject, resource: Resource, count: int) -> ApiError | None:
        async def create(_: int) -> None:
            pod = pod_of(owner.document["spec"]["template"], owner, resource, self._control.decode)
            with ignoring_namespace_termination():
                self._owners.expect_creation(key, await self._control.create(pod, owner))

        return await slow_start(range(count), create)

    async def _delete(
        self, key: Key, owner: StoredObject, active: Sequence[StoredObject], count: int
    ) -> ApiError | None:
        failure: ApiError | None = None
        for pod in pods_to_delete(active, self._owners.related_pods(owner), count, self._runtime.clock.now()):
            try:
                with self._owners.deleting(key, pod):
                    await self._control.delete(pod, owner)
            except ApiError as error:
                if error.reason != "NotFound":
                    failure = failure or ApiError(error.code, error.reason, f"unable to delete pods: {error.message}")
        return failure

    @staticmethod
    def _terminating(owner: StoredObject, pods: Sequence[StoredObject], selector: LabelSelector) -> int:
        mine = (pod for pod in pods if controller_uid(pod) == owner.uid and selector.matches(pod.labels))
        return sum(is_terminating(pod) and not is_ended(pod) for pod in mine)

    async def _write_status(self, owner: StoredObject, resource: Resource, counted: Counted) -> None:
        status = new_status(owner.document, counted, written_now(self._runtime.clock))
        if not differs(status, owner.document["status"]):
            return

        def change(obj: ApiObject) -> None:
            replicated: Any = obj
            replicated.status = type(replicated.status).from_document(status)

        await self._runtime.client.update(resource, owner, change, subresource="status")


class ReplicaSetController(_Replication):
    """Creates and deletes the pods of ReplicaSets, and writes their status."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime, REPLICA_SETS)


class ReplicationControllerController(_Replication):
    """Creates and deletes the pods of ReplicationControllers, and writes their status."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime, REPLICATION_CONTROLLERS)
