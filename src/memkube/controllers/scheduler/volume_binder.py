"""Binds a pod's PersistentVolumeClaims before the pod is bound to its node (``volumebinding/binder.go``)."""

from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from typing import Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.persistentvolumes.types import PersistentVolume
from memkube.controllers.framework.known_objects import Key
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.scheduler.framework import ClusterListers, SchedulingContext
from memkube.controllers.scheduler.pending_reservations import NotBindable, PendingReservations
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

_FAILED: Final = "binding volumes"
_TIMEOUT: Final = timedelta(minutes=10)
"""Time after which the scheduling of a pod fails if its claims are not bound (``bindTimeoutSeconds``)."""


class _Writes(NamedTuple):
    volumes: PodVolumes
    revisions: dict[Key, int]
    """Revisions of the volumes and claims that were written. The binder waits until the informers have them."""


def _failed(why: str) -> NotBindable:
    return NotBindable(f"{_FAILED}: {why}")


def volumes_on(context: SchedulingContext, node: str) -> PodVolumes | None:
    """Return the volumes to bind, or to provision, for a pod's unbound claims on the node with the name `node`.

    Returns None if the pod has no unbound claims, or if the node is not known. `context` has the pod and the cluster.
    """
    found = context.cluster.node(node)
    prepared = volume_binding.prepare(context)
    return None if prepared is None or found is None else prepared.volumes_on(found)


class VolumeBinder:
    """Starts to bind pods' PersistentVolumeClaims, and waits until the volume controller has bound them.

    `end` is called when all claims of a pod are bound, or when this fails. It gets the pod's Reservation and the reason
    why the claims cannot be bound. The reason is empty if they are bound.
    """

    def __init__(
        self,
        runtime: Runtime,
        listers: ClusterListers,
        end: Callable[[Reservation, str], Awaitable[None]],
    ) -> None:
        self._runtime = runtime
        self._client = runtime.client_of("kube-scheduler")
        self._listers = listers
        self._end = end
        self._nodes = runtime.informers.of("", "v1", "nodes")
        self._pending: PendingReservations[_Writes] = PendingReservations(
            runtime,
            "volumes of scheduled pods",
            self._is_bound,
            end,
            (_TIMEOUT, f"{_FAILED}: context deadline exceeded"),
        )
        listers.known_claims.subscribe(self._on_object)
        listers.known_volumes.subscribe(self._on_object)
        self._nodes.subscribe(self._on_node)

    async def begin(self, reservation: Reservation) -> None:
        """Start to bind or provision the volumes that the scheduler has chosen for a pod, which `reservation` contains.

        If a write is refused, `end` is called at once, with the error as the reason.
        """
        volumes = reservation.volumes
        assert volumes is not None, "the claims of the pod are bound already"
        writes = _Writes(volumes, {})
        try:
            for binding in volumes.bindings:
                self._wrote(writes, await self._bind(binding.volume, binding.claim))
            for claim in volumes.provisions:
                self._wrote(writes, await self._select_node(claim, reservation.node))
        except ApiError as error:
            await self._end(reservation, str(error))
            return
        self._pending.add(reservation, writes, _objects(volumes))

    async def _bind(self, volume: StoredObject, claim: StoredObject) -> StoredObject:
        change = bound_volume(volume.document, claim)

        def change_same(obj: ApiObject) -> None:
            assert isinstance(obj, PersistentVolume)
            obj.metadata.resourceVersion = volume.resource_version
            if change is not None:
                change(obj)

        resource = self._runtime.registry.find(*VOLUMES).resource
        stored = await self._client.update(resource, volume, change_same)
        self._listers.known_volumes.put(stored)
        return stored

    async def _select_node(self, claim: StoredObject, node: str) -> StoredObject:
        def change(obj: ApiObject) -> None:
            obj.metadata.resourceVersion = claim.resource_version
            obj.metadata.annotations[SELECTED_NODE] = node

        resource = self._runtime.registry.find(*CLAIMS).resource
        stored = await self._client.update(resource, claim, change)
        self._listers.known_claims.put(stored)
        return stored

    def _wrote(self, writes: _Writes, stored: StoredObject) -> None:
        writes.revisions[(stored.namespace, stored.name)] = int(stored.resource_version)

    def _on_object(self, old: StoredObject | None, new: StoredObject | None) -> None:
        stored = new or old
        assert stored is not None
        keys = [(stored.namespace, stored.name)]
        reference = None if stored.namespace else stored.document["spec"].get("claimRef")
        if reference is not None:
            keys.append(claim_key(reference))
        self._pending.wake(*keys)

    def _on_node(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            self._pending.wake_all()

    def _is_bound(self, reservation: Reservation, writes: _Writes) -> bool:
        """True if all PersistentVolumeClaims of a pod are bound (``checkBindings``).

        `writes` has the volumes that were chosen for the claims. Raises NotBindable if the claims cannot be bound to
        these, so that the pod must be scheduled again.
        """
        node, volumes = reservation.node, writes.volumes
        facts = self._nodes.get("", node)
        if facts is None:
            raise _failed(f"failed to get node {quoted(node)}: node {quoted(node)} not found")
        bound = [self._is_binding_done(writes, binding.volume, binding.claim, facts) for binding in volumes.bindings]
        bound += [self._is_provisioned(writes, claim, facts) for claim in volumes.provisions]
        return all(bound)

    def _is_binding_done(self, writes: _Writes, volume: StoredObject, claim: StoredObject, node: StoredObject) -> bool:
        found = self._listers.known_volumes.get(("", volume.name))
        if found is None:
            raise _failed(f"failed to check binding: could not find v1.PersistentVolume {quoted(volume.name)}")
        bound = self._claim(claim, "failed to check binding")
        if int(found.resource_version) < writes.revisions[("", volume.name)]:
            return False
        self._check_affinity(found, node)
        if not (found.document["spec"].get("claimRef") or {}).get("uid"):
            raise _failed(f"ClaimRef got reset for pv {quoted(volume.name)}")
        return is_fully_bound(bound.document)

    def _is_provisioned(self, writes: _Writes, claim: StoredObject, node: StoredObject) -> bool:
        found = self._claim(claim, "failed to check provisioning pvc")
        if int(found.resource_version) < writes.revisions[(claim.namespace, claim.name)]:
            return False
        annotations = annotations_of(found.document)
        if not annotations:
            raise _failed(f"selectedNode annotation reset for PVC {quoted(claim.name)}")
        if annotations.get(SELECTED_NODE) != node.name:
            raise _failed(f"provisioning failed for PVC {quoted(claim.name)}")
        name = found.document["spec"].get("volumeName", "")
        if name:
            volume = self._listers.known_volumes.get(("", name))
            if volume is None:
                return False
            self._check_affinity(volume, node)
        return is_fully_bound(found.document)

    def _claim(self, claim: StoredObject, what: str) -> StoredObject:
        found = self._listers.known_claims.get((claim.namespace, claim.name))
        if found is None:
            name = quoted(f"{claim.namespace}/{claim.name}")
            raise _failed(f"{what}: could not find v1.PersistentVolumeClaim {name}")
        return found

    def _check_affinity(self, volume: StoredObject, node: StoredObject) -> None:
        if not reaches(self._listers, volume, node.labels):
            where = f"node affinity doesn't match node {quoted(node.name)}: no matching NodeSelectorTerms"
            raise _failed(f"pv {quoted(volume.name)} {where}")


def _objects(volumes: PodVolumes) -> Iterator[Key]:
    """Yield the namespaces and names of the volumes and claims in `volumes`, for whose binding a pod must wait."""
    for volume, claim in volumes.bindings:
        yield "", volume.name
        yield claim.namespace, claim.name
    for claim in volumes.provisions:
        yield claim.namespace, claim.name
