"""Binds the claims of a pod to volumes before the pod is bound to its node (``volumebinding/binder.go``)."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.persistentvolumes.types import PersistentVolume
from memkube.controllers.framework.known_objects import Key
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.scheduler.framework import ClusterListers, SchedulingContext
from memkube.controllers.scheduler.plugins import volume_binding
from memkube.controllers.scheduler.plugins.volume_binding import PodVolumes, reaches
from memkube.controllers.scheduler.reservation import Reservation
from memkube.controllers.volumes.binding_rules import (
    CLAIMS,
    SELECTED_NODE,
    VOLUMES,
    annotations_of,
    claim_key,
    is_fully_bound,
)
from memkube.controllers.volumes.binding_writes import bound_volume
from memkube.registry.objects.stored import StoredObject

_TIMEOUT: Final = timedelta(minutes=10)
"""Time after which the scheduling of a pod fails if a claim is not bound (``bindTimeoutSeconds``)."""


@dataclass(slots=True)
class _Waiting:
    reservation: Reservation
    volumes: PodVolumes
    deadline: datetime
    revisions: dict[Key, int]
    """Revision of each written volume and claim; the binder waits until the caches have them."""


class _Failed(Exception):
    """Raised if the claims of a pod cannot be bound to volumes. The text is the reason."""


def volumes_on(situation: SchedulingContext, node: str) -> PodVolumes | None:
    """Return how a pod's claims are bound on the node chosen for it; None if all claims are bound already."""
    found = situation.cluster.node(node)
    prepared = volume_binding.prepare(situation)
    return None if prepared is None or found is None else prepared.volumes_on(found)


class VolumeBinder:
    """Writes the bindings of pods' claims, and waits until the controller of volumes has completed the bindings.

    `end` is called with a reservation whose claims are bound, or with the reason why they cannot be bound.
    """

    def __init__(
        self,
        runtime: Runtime,
        surroundings: ClusterListers,
        end: Callable[[Reservation, str], Awaitable[None]],
    ) -> None:
        self._runtime = runtime
        self._client = runtime.client_of("kube-scheduler")
        self._surroundings = surroundings
        self._end = end
        self._pods = runtime.informers.of("", "v1", "pods")
        self._waiting: dict[str, _Waiting] = {}
        self._by_object: dict[Key, set[str]] = {}
        """Uids of the waiting pods by claim and volume."""
        self._queue = runtime.queue("volumes of scheduled pods", self._check)
        surroundings.known_claims.subscribe(self._on_object)
        surroundings.known_volumes.subscribe(self._on_object)
        self._nodes = runtime.informers.of("", "v1", "nodes")
        self._pods.subscribe(self._on_pod)
        self._nodes.subscribe(self._on_node)

    async def begin(self, reservation: Reservation) -> None:
        """Bind or provision the claims of a pod for its chosen node. The pod can be bound after its claims."""
        volumes = reservation.volumes
        assert volumes is not None, "the claims of the pod are bound already"
        waiting = _Waiting(reservation, volumes, self._runtime.clock.now() + _TIMEOUT, {})
        try:
            for binding in volumes.bindings:
                self._wrote(waiting, await self._bind(binding.volume, binding.claim))
            for claim in volumes.provisions:
                self._wrote(waiting, await self._select_node(claim, reservation.node))
        except ApiError as error:
            await self._end(reservation, str(error))
            return
        uid = reservation.queued.pod.uid
        self._waiting[uid] = waiting
        for key in _objects(volumes):
            self._by_object.setdefault(key, set()).add(uid)
        self._queue.add(uid)
        self._queue.add_after(uid, _TIMEOUT.total_seconds())

    async def _bind(self, volume: StoredObject, claim: StoredObject) -> StoredObject:
        change = bound_volume(volume.document, claim)

        def change_same(obj: ApiObject) -> None:
            assert isinstance(obj, PersistentVolume)
            obj.metadata.resourceVersion = volume.resource_version
            if change is not None:
                change(obj)

        resource = self._runtime.registry.find(*VOLUMES).resource
        stored = await self._client.update(resource, volume, change_same)
        self._surroundings.known_volumes.put(stored)
        return stored

    async def _select_node(self, claim: StoredObject, node: str) -> StoredObject:
        def change(obj: ApiObject) -> None:
            obj.metadata.resourceVersion = claim.resource_version
            obj.metadata.annotations[SELECTED_NODE] = node

        resource = self._runtime.registry.find(*CLAIMS).resource
        stored = await self._client.update(resource, claim, change)
        self._surroundings.known_claims.put(stored)
        return stored

    def _wrote(self, waiting: _Waiting, stored: StoredObject) -> None:
        waiting.revisions[(stored.namespace, stored.name)] = int(stored.resource_version)

    def _on_object(self, old: StoredObject | None, new: StoredObject | None) -> None:
        stored = new or old
        assert stored is not None
        keys = [(stored.namespace, stored.name)]
        reference = None if stored.namespace else stored.document["spec"].get("claimRef")
        if reference is not None:
            keys.append(claim_key(reference))
        for uid in sorted({uid for key in keys for uid in self._by_object.get(key, ())}):
            self._queue.add(uid)

    def _on_node(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            for uid in self._waiting:
                self._queue.add(uid)

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None and old is not None and old.uid in self._waiting:
            self._forget(old.uid)

    async def _check(self, uid: str) -> None:
        waiting = self._waiting.get(uid)
        if waiting is None:
            return
        failure = ""
        try:
            if not self._is_bound(waiting):
                if self._runtime.clock.now() < waiting.deadline:
                    return
                failure = "binding volumes: context deadline exceeded"
        except _Failed as error:
            failure = f"binding volumes: {error}"
        self._forget(uid)
        await self._end(waiting.reservation, failure)

    def _forget(self, uid: str) -> None:
        waiting = self._waiting.pop(uid)
        for key in _objects(waiting.volumes):
            uids = self._by_object.get(key, set())
            uids.discard(uid)
            if not uids:
                self._by_object.pop(key, None)

    def _is_bound(self, waiting: _Waiting) -> bool:
        """True if all claims of a pod are bound (``checkBindings``).

        Raises _Failed if the pod must be scheduled again.
        """
        node, volumes = waiting.reservation.node, waiting.volumes
        facts = self._nodes.get("", node)
        if facts is None:
            raise _Failed(f"failed to get node {quoted(node)}: node {quoted(node)} not found")
        bound = [self._is_binding_done(waiting, binding.volume, binding.claim, facts) for binding in volumes.bindings]
        bound += [self._is_provisioned(waiting, claim, facts) for claim in volumes.provisions]
        return all(bound)

    def _is_binding_done(
        self, waiting: _Waiting, volume: StoredObject, claim: StoredObject, node: StoredObject
    ) -> bool:
        found = self._surroundings.known_volumes.get(("", volume.name))
        if found is None:
            raise _Failed(f"failed to check binding: could not find v1.PersistentVolume {quoted(volume.name)}")
        bound = self._claim(claim, "failed to check binding")
        if int(found.resource_version) < waiting.revisions[("", volume.name)]:
            return False
        self._check_affinity(found, node)
        if not (found.document["spec"].get("claimRef") or {}).get("uid"):
            raise _Failed(f"ClaimRef got reset for pv {quoted(volume.name)}")
        return is_fully_bound(bound.document)

    def _is_provisioned(self, waiting: _Waiting, claim: StoredObject, node: StoredObject) -> bool:
        found = self._claim(claim, "failed to check provisioning pvc")
        if int(found.resource_version) < waiting.revisions[(claim.namespace, claim.name)]:
            return False
        annotations = annotations_of(found.document)
        if not annotations:
            raise _Failed(f"selectedNode annotation reset for PVC {quoted(claim.name)}")
        if annotations.get(SELECTED_NODE) != node.name:
            raise _Failed(f"provisioning failed for PVC {quoted(claim.name)}")
        name = found.document["spec"].get("volumeName", "")
        if name:
            volume = self._surroundings.known_volumes.get(("", name))
            if volume is None:
                return False
            self._check_affinity(volume, node)
        return is_fully_bound(found.document)

    def _claim(self, claim: StoredObject, what: str) -> StoredObject:
        found = self._surroundings.known_claims.get((claim.namespace, claim.name))
        if found is None:
            name = quoted(f"{claim.namespace}/{claim.name}")
            raise _Failed(f"{what}: could not find v1.PersistentVolumeClaim {name}")
        return found

    def _check_affinity(self, volume: StoredObject, node: StoredObject) -> None:
        if not reaches(self._surroundings, volume, node.labels):
            where = f"node affinity doesn't match node {quoted(node.name)}: no matching NodeSelectorTerms"
            raise _Failed(f"pv {quoted(volume.name)} {where}")


def _objects(volumes: PodVolumes) -> Iterator[Key]:
    """Yield the keys of the volumes and claims whose changes affect the binding of a pod's claims."""
    for volume, claim in volumes.bindings:
        yield "", volume.name
        yield claim.namespace, claim.name
    for claim in volumes.provisions:
        yield claim.namespace, claim.name
