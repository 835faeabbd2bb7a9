"""Writes of PersistentVolumes and claims by the controller that binds them (``pv_controller.go``).

A write raises ApiError (409) if the object has changed since the revision on which the decision was based. A write that
would change nothing is skipped.
"""

from collections.abc import Callable
from typing import Any, Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.persistentvolumes.types import PersistentVolume
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import (
    PersistentVolumeClaim,
    PersistentVolumeClaimStatus,
)
from memkube.controllers.framework.event_recorder import EventRecorder, Report, reference_to
from memkube.controllers.framework.known_objects import KnownObjects
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.volumes.binding_rules import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    CLAIMS,
    VOLUMES,
    annotations_of,
    is_for_claim,
)
from memkube.registry.objects.stored import StoredObject

PRE_RESIZE_CAPACITY: Final = "volume.alpha.kubernetes.io/pre-resize-capacity"
"""Annotation of an enlarged volume with the size that its file system had before."""
_YES: Final = "yes"


class BindingWrites:
    """Writes PersistentVolumes and claims for the controller that binds them.

    The caches `volumes` and `claims` include these writes.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._client = runtime.client
        self._events = EventRecorder(runtime, "persistentvolume-controller")
        self.volumes = KnownObjects(runtime.informers.of(*VOLUMES))
        self.claims = KnownObjects(runtime.informers.of(*CLAIMS))

    async def report(self, about: StoredObject, report: Report) -> None:
        """Record an Event about the volume or claim `about`, with the type, reason and message in `report`."""
        await self._events.record(about, report)

    async def read_claim(self, namespace: str, name: str) -> StoredObject | None:
        """Return the newest revision of a claim from the storage, or None if the claim does not exist."""
        return await self._read(CLAIMS, namespace, name)

    async def read_volume(self, name: str) -> StoredObject | None:
        """Return the newest revision of a volume from the storage, or None if the volume does not exist."""
        return await self._read(VOLUMES, "", name)

    async def bind(self, volume: StoredObject, claim: StoredObject) -> None:
        """Bind a volume and a claim to each other.

        The writes are, in this order: the volume's spec, its phase, the claim's spec, its status.
        """
        volume = await self._bind_volume(volume, claim)
        volume = await self.set_volume_phase(volume, "Bound")
        claim = await self._bind_claim(claim, volume)
        await self.set_claim_status(claim, "Bound", volume)

    async def unbind(self, volume: StoredObject) -> None:
        """Remove the binding of a volume to its claim, and make the volume available.

        If a user reserved the volume for the claim, it stays reserved for the claim's name.
        """

        def change(obj: PersistentVolume) -> None:
            if BOUND_BY_CONTROLLER in obj.metadata.annotations:
                obj.spec.claimRef = None
                del obj.metadata.annotations[BOUND_BY_CONTROLLER]
            elif obj.spec.claimRef is not None:
                obj.spec.claimRef.uid = ""

        await self.set_volume_phase(await self.change_volume(volume, change), "Available")

    async def set_volume_phase(
        self, volume: StoredObject, phase: str, message: str = "", report: Report | None = None
    ) -> StoredObject:
        """Set the phase and message of a volume and record the Event `report`, unless it is in this phase already."""
        if volume.document["status"].get("phase") == phase:
            return volume

        def change(obj: PersistentVolume) -> None:
            obj.status.phase, obj.status.message = phase, message

        volume = await self.change_volume(volume, change, "status")
        if report is not None:
            await self.report(volume, report)
        return volume

    async def set_claim_status(
        self, claim: StoredObject, phase: str, volume: StoredObject | None, report: Report | None = None
    ) -> StoredObject:
        """Set the phase of a claim, and copy its volume's access modes and capacity.

        If the phase changes, record the Event `report`. As in kube-controller-manager, the capacity is only copied in
        that case: a difference may be intended while the file system grows.
        """
        status = PersistentVolumeClaimStatus.from_document(claim.document["status"])
        before = status.phase
        if report is not None and before == phase:
            return claim
        status.phase = phase
        if volume is None:
            status.accessModes, status.capacity, status.currentVolumeAttributesClassName = [], {}, None
        else:
            _copy_to_status(status, before, volume.document)
        if status.to_document() == claim.document["status"]:
            return claim

        def change(obj: PersistentVolumeClaim) -> None:
            obj.status = status

        claim = await self.change_claim(claim, change, "status")
        if report is not None:
            await self.report(claim, report)
        return claim

    async def change_volume(
        self, volume: StoredObject, change: Callable[[PersistentVolume], None], subresource: str = ""
    ) -> StoredObject:
        """Change a volume, or a subresource of it, with `change`, which modifies the volume in place.

        Returns the volume as stored. Raises ApiError if the write is refused.
        """
        stored = await self._change(VOLUMES, volume, change, subresource)
        self.volumes.put(stored)
        return stored

    async def change_claim(
        self, claim: StoredObject, change: Callable[[PersistentVolumeClaim], None], subresource: str = ""
    ) -> StoredObject:
        """Change a claim, or a subresource of it, with `change`, which modifies the claim in place.

        Returns the claim as stored. Raises ApiError if the write is refused.
        """
        stored = await self._change(CLAIMS, claim, change, subresource)
        self.claims.put(stored)
        return stored

    async def _change(
        self, name: tuple[str, str, str], current: StoredObject, change: Callable[[Any], None], subresource: str
    ) -> StoredObject:
        def change_same(obj: ApiObject) -> None:
            obj.metadata.resourceVersion = current.resource_version
            change(obj)

        resource = self._runtime.registry.find(*name).resource
        return await self._client.update(resource, current, change_same, subresource=subresource)

    async def _bind_volume(self, volume: StoredObject, claim: StoredObject) -> StoredObject:
        bound = bound_volume(volume.document, claim)
        return volume if bound is None else await self.change_volume(volume, bound)

    async def _bind_claim(self, claim: StoredObject, volume: StoredObject) -> StoredObject:
        names_volume = claim.document["spec"].get("volumeName") == volume.name
        if names_volume and BIND_COMPLETED in annotations_of(claim.document):
            return claim

        def change(obj: PersistentVolumeClaim) -> None:
            if obj.spec.volumeName != volume.name:
                obj.spec.volumeName = volume.name
                obj.metadata.annotations.setdefault(BOUND_BY_CONTROLLER, _YES)
            obj.metadata.annotations.setdefault(BIND_COMPLETED, _YES)

        return await self.change_claim(claim, change)

    async def _read(self, name: tuple[str, str, str], namespace: str, of: str) -> StoredObject | None:
        try:
            return await self._client.get(self._runtime.registry.find(*name).resource, namespace, of)
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return None


def bound_volume(volume: Document, claim: StoredObject) -> Callable[[PersistentVolume], None] | None:
    """Return a function that changes a PersistentVolume so that it is bound to `claim` (``GetBindVolumeToClaim``).

    Returns None if the volume is bound to the claim already.
    """
    is_reserved = is_for_claim(volume, claim.document)
    if is_reserved and volume["spec"]["claimRef"].get("uid") == claim.uid:
        return None

    def change(obj: PersistentVolume) -> None:
        obj.spec.claimRef = reference_to(claim)
        if not is_reserved:
            obj.metadata.annotations.setdefault(BOUND_BY_CONTROLLER, _YES)

    return change


def _copy_to_status(status: PersistentVolumeClaimStatus, before: str, volume: Document) -> None:
    """Copy properties of a volume to the status of its claim. `before` is the phase that the claim had until now.

    Access modes are always copied. The capacity is copied only if the phase changes, and the VolumeAttributesClass only
    if the phase changes from Pending to Bound.
    """
    spec = volume["spec"]
    status.accessModes = list(spec.get("accessModes") or ())
    if before == status.phase:
        return
    capacity = {name: Quantity(amount) for name, amount in (spec.get("capacity") or {}).items()}
    resized_from = annotations_of(volume).get(PRE_RESIZE_CAPACITY)
    known = status.capacity.get("storage")
    if resized_from is not None:
        status.capacity = {**status.capacity, "storage": _parsed(resized_from) or capacity["storage"]}
    elif known is None or capacity["storage"].nano != known.nano:
        status.capacity = capacity
    if before == "Pending" and status.phase == "Bound":
        status.currentVolumeAttributesClassName = spec.get("volumeAttributesClassName")


def _parsed(text: str) -> Quantity | None:
    try:
        return Quantity.parse(text)
    except ValueError:
        return None
