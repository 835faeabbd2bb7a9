"""Allocates the ResourceClaims of a pod before the pod is bound (``plugins/dynamicresources``, PreBind)."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.types import Pod, PodExtendedResourceClaimStatus
from memkube.apis.resource.v1.resourceclaims import status_types as types
from memkube.apis.resource.v1.resourceclaims.types import ResourceClaim
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.framework.known_objects import Key
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.resource_claims.pod_claims import (
    CLAIMS,
    FINALIZER,
    consumer,
    is_reserved_for,
)
from memkube.controllers.scheduler.devices.binding_conditions import (
    TIMEOUT,
    BindingFailed,
    has_binding_conditions,
    is_ready,
)
from memkube.controllers.scheduler.devices.extended_resources import ANNOTATION
from memkube.controllers.scheduler.framework import ClusterListers, PreparedFilter, SchedulingContext
from memkube.controllers.scheduler.pending_reservations import NotBindable, PendingReservations
from memkube.controllers.scheduler.plugins import dynamic_resources
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_writer import PodWriter
from memkube.controllers.scheduler.reservation import Reservation
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

if TYPE_CHECKING:
    # Imported for types only: the modules that search for devices are imported with the first pod that uses devices.
    from memkube.apis.resource.v1.resourceclaims.status_types import ResourceClaimStatus
    from memkube.controllers.scheduler.plugins.device_filter import ExtendedClaim, PodDevices

NOTHING_TO_RELEASE: Final = "no new claims to deallocate"


class _Failed(Exception):
    """Raised if a ResourceClaim cannot be allocated or reserved for a pod. The text is the reason."""


def devices_on(context: SchedulingContext, node: str) -> "PodDevices | None":
    """Return the devices on `node` for the ResourceClaims of the pod in `context`; None if it uses no devices."""
    prepared = dynamic_resources.prepare(context)
    found = context.cluster.node(node)
    return None if prepared is None or found is None else prepared.on_node(found).devices


class ClaimBinder:
    """Writes allocations of ResourceClaims for pods, and waits for the binding conditions of their devices.

    `end` is called when all claims of a pod are ready, or when this fails. It gets the pod's Reservation and the reason
    why the claims cannot be used. The reason is empty if they are ready.
    """

    def __init__(
        self,
        runtime: Runtime,
        listers: ClusterListers,
        writer: PodWriter,
        end: Callable[[Reservation, str], Awaitable[None]],
    ) -> None:
        self._runtime = runtime
        self._client = runtime.client_of("kube-scheduler")
        self._listers = listers
        self._writer = writer
        self._end = end
        self._pending: PendingReservations[list[Key]] = PendingReservations(
            runtime,
            "devices of scheduled pods",
            self._are_ready,
            end,
            (TIMEOUT, "device binding timeout: context deadline exceeded"),
        )
        listers.known_resource_claims.subscribe(self._on_claim)

    def reserve(self, reservation: Reservation) -> None:
        """Count the devices in `reservation` as allocated, so that no other pod gets them.

        This ends when the allocations are written to the ResourceClaims, or by `release`.
        """
        for uid, allocation in _new_allocations(reservation):
            self._listers.allocated_devices.begin(uid, allocation)

    async def release(self, reservation: Reservation) -> None:
        """Give up the devices that were chosen for a pod, because the pod could not be bound.

        ResourceClaims whose allocation was written stay allocated, but are no longer reserved for the pod. The claim
        for the pod's extended resources is deleted.
        """
        for uid, _ in _new_allocations(reservation):
            self._listers.allocated_devices.end(uid)
        pod = reservation.queued.pod
        for claim, _ in reservation.devices.claims if reservation.devices is not None else ():
            known = self._listers.known_resource_claims.get((claim.namespace, claim.name))
            if known is not None and known.uid == claim.uid:
                await self._unreserve(known, pod)
        for claim in self._listers.owned_resource_claims.of(pod.uid):
            if (claim.document["metadata"].get("annotations") or {}).get(ANNOTATION) == "true":
                await self._delete(claim)

    async def begin(self, reservation: Reservation) -> None:
        """Write the allocations and reservations of the ResourceClaims of the pod in `reservation`.

        `end` is called when the devices are ready, so that the pod can be bound, or when this fails.
        """
        pod, devices = reservation.queued.pod, reservation.devices
        assert devices is not None, "the pod uses no devices"
        claims: list[StoredObject] = []
        try:
            for claim, allocation in devices.claims:
                is_reserved = is_reserved_for(claim, pod.uid)
                claims.append(claim if is_reserved else await self._bind(pod, claim, allocation))
            if devices.extended is not None:
                claims.append(await self._bind_extended(pod, devices.extended))
        except (ApiError, _Failed) as error:
            await self._end(reservation, str(error))
            return
        if not any(has_binding_conditions(claim) for claim in claims):
            await self._end(reservation, "")
            return
        message = f"waiting for binding conditions for device on node {reservation.node}"
        report = Report("Normal", "BindingConditionsPending", message, action="Scheduling")
        await self._writer.report(pod.scheduler_name, pod, report)
        keys = [(claim.namespace, claim.name) for claim in claims]
        self._pending.add(reservation, keys, keys)

    async def release_unusable(self, pod: PodInfo, checks: Sequence[PreparedFilter]) -> str:
        """Release a ResourceClaim that may be the reason why an unschedulable pod fits on no node (PostFilter).

        This is an allocated claim of the pod whose devices are not available on some node, and which no other pod uses:
        it is deallocated. If there is no such claim, the claim for the pod's extended resources from an earlier attempt
        is deleted.

        `checks` are the filter plugins prepared for the pod. Returns kube-scheduler's message about what was done.
        Raises ApiError if the write fails.
        """
        prepared = next((check for check in checks if isinstance(check, dynamic_resources.DeviceState)), None)
        if prepared is None:
            return NOTHING_TO_RELEASE
        for claim in prepared.unavailable.values():
            consumers = claim.document["status"].get("reservedFor") or ()
            if not consumers or [one["uid"] for one in consumers] == [pod.uid]:
                await self._write(claim, _deallocate, "status")
                return "deallocation of ResourceClaim completed"
        if prepared.stale_claim is not None:
            await self._delete(prepared.stale_claim)
            return "deletion of ResourceClaim completed"
        return "still not schedulable"

    async def _bind(self, pod: PodInfo, claim: StoredObject, allocation: Document | None) -> StoredObject:
        """Write the allocation of a ResourceClaim, and its reservation for a pod. Returns the written claim.

        Raises ApiError if a write fails, and _Failed if the claim cannot be allocated any more.
        """
        try:
            if allocation is not None:
                claim = await self._write(claim, _protect(claim), "")
            change = _allocated(claim, allocation, consumer(pod.name, pod.uid), Time.at(self._runtime.clock.now()))
            return await self._write(claim, change, "status")
        finally:
            if allocation is not None:
                self._listers.allocated_devices.end(claim.uid)

    async def _bind_extended(self, pod: PodInfo, extended: "ExtendedClaim") -> StoredObject:
        """Create and allocate the ResourceClaim for the extended resources of a pod.

        Raises ApiError or _Failed if that fails.
        """
        owner = {"apiVersion": "v1", "kind": "Pod", "name": pod.name, "uid": pod.uid, "controller": True}
        metadata = {
            "generateName": f"{pod.name}-extended-resources-",
            "ownerReferences": [owner],
            "annotations": {ANNOTATION: "true"},
        }
        document = {"metadata": metadata, "spec": {"devices": {"requests": extended.requests}}}
        claim = self._resource.model.from_document(document)
        try:
            stored = await self._client.create(self._resource, claim, pod.namespace)
        except ApiError as error:
            # kube-scheduler's message has no name after the slash, because the server would have generated the name.
            raise _Failed(f"create claim for extended resources {pod.namespace}/: {error}") from None
        self._listers.known_resource_claims.put(stored)
        try:
            stored = await self._bind(pod, stored, extended.allocation)
            if not extended.mappings:
                why = f"no update of pod {pod.namespace}/{pod.name} ExtendedResourceClaimStatus"
                raise _Failed(f"nil or empty request mappings, {why}")
            status = PodExtendedResourceClaimStatus.from_document(
                {"requestMappings": extended.mappings, "resourceClaimName": stored.name}
            )

            def change(obj: ApiObject) -> None:
                assert isinstance(obj, Pod)
                obj.status.extendedResourceClaimStatus = status

            pods = self._runtime.registry.find("", "v1", "pods").resource
            await self._client.update(pods, pod.stored, change, subresource="status")
        except (ApiError, _Failed):
            await self._delete(stored)
            raise
        return stored

    async def _unreserve(self, claim: StoredObject, pod: PodInfo) -> None:
        def change(obj: ApiObject) -> None:
            status = _status(obj)
            status.reservedFor = [one for one in status.reservedFor if one.uid != pod.uid]

        if is_reserved_for(claim, pod.uid):
            with ignoring_absence():
                await self._write(claim, change, "status")

    async def _delete(self, claim: StoredObject) -> None:
        def change(obj: ApiObject) -> None:
            obj.metadata.finalizers = [name for name in obj.metadata.finalizers if name != FINALIZER]

        with ignoring_absence():
            await self._write(claim, change, "")
            await self._client.delete(self._resource, claim.namespace, claim.name, DeleteOptions())

    async def _write(self, claim: StoredObject, change: Callable[[ApiObject], None], subresource: str) -> StoredObject:
        stored = await self._client.update(self._resource, claim, change, subresource=subresource)
        self._listers.known_resource_claims.put(stored)
        return stored

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        claim = new or old
        assert claim is not None
        self._pending.wake((claim.namespace, claim.name))

    def _are_ready(self, _: Reservation, keys: list[Key]) -> bool:
        """True if the ResourceClaims are allocated and the binding conditions of their devices are True.

        Raises NotBindable if a claim is missing, or a device reports that binding has failed.
        """
        found = [self._listers.known_resource_claims.get(key) for key in keys]
        claims = [claim for claim in found if claim is not None]
        if len(claims) < len(keys):
            missing = keys[found.index(None)]
            raise NotBindable(f'could not find ResourceClaim "{"/".join(missing)}"')
        try:
            return all(is_ready(claim) for claim in claims)
        except BindingFailed as error:
            raise NotBindable(str(error)) from None

    @property
    def _resource(self) -> Resource:
        return self._runtime.registry.find(*CLAIMS).resource


def _new_allocations(reservation: Reservation) -> Iterator[tuple[str, Document]]:
    """Yield the uid and the chosen allocation of each ResourceClaim in `reservation` that was not allocated before."""
    for claim, allocation in reservation.devices.claims if reservation.devices is not None else ():
        if allocation is not None:
            yield claim.uid, allocation


def _status(obj: ApiObject) -> "ResourceClaimStatus":

    assert isinstance(obj, ResourceClaim)
    return obj.status


def _deallocate(obj: ApiObject) -> None:
    status = _status(obj)
    status.reservedFor, status.allocation, status.devices = [], None, []


def _protect(claim: StoredObject) -> Callable[[ApiObject], None]:
    """Return a function that adds the protection finalizer to a ResourceClaim before its allocation.

    The function raises _Failed if the claim is terminating or was allocated meanwhile.
    """
    key = f"{claim.namespace}/{claim.name}"

    def change(obj: ApiObject) -> None:
        if obj.metadata.deletionTimestamp is not None:
            raise _Failed(f"claim {key} got deleted in the meantime")
        if _status(obj).allocation is not None:
            raise _Failed(f"claim {key} got allocated elsewhere in the meantime")
        if FINALIZER not in obj.metadata.finalizers:
            obj.metadata.finalizers = [*obj.metadata.finalizers, FINALIZER]

    return change


def _allocated(
    claim: StoredObject, allocation: Document | None, user: Document, now: Time
) -> Callable[[ApiObject], None]:
    """Return a function that reserves a ResourceClaim for the pod `user`, after writing `allocation` if it is given.

    The function raises _Failed if the claim was deleted, allocated or deallocated meanwhile.
    """
    key = f"{claim.namespace}/{claim.name}"

    def change(obj: ApiObject) -> None:

        status = _status(obj)
        if obj.metadata.deletionTimestamp is not None:
            raise _Failed(f"claim {key} got deleted in the meantime")
        if allocation is not None:
            if status.allocation is not None:
                raise _Failed(f"claim {key} got allocated elsewhere in the meantime")
            status.allocation = types.AllocationResult.from_document(allocation)
        status.reservedFor = [*status.reservedFor, types.ResourceClaimConsumerReference.from_document(user)]
        if status.allocation is None:
            raise _Failed(f"claim {key} got deallocated elsewhere in the meantime")
        if status.allocation.allocationTimestamp is None:
            status.allocation.allocationTimestamp = now

    return change
