"""Binds PersistentVolumes and PersistentVolumeClaims to each other (``pkg/controller/volume/persistentvolume``)."""

from typing import Final

from memkube.apimachinery.errors import unclassified
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim
from memkube.apis.storage.v1.classes import default_class
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.framework.known_objects import Key
from memkube.controllers.framework.pods_by_node import node_of
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.volumes.binding_rules import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    PROVISIONED_BY,
    SELECTED_NODE,
    STORAGE_CLASSES,
    annotations_of,
    claim_key,
    class_of,
    delays_binding,
    has_class,
    is_for_claim,
    mismatch,
    volume_mode,
)
from memkube.controllers.volumes.binding_writes import BindingWrites
from memkube.controllers.volumes.migration import Migration
from memkube.controllers.volumes.provisioning import Provisioning
from memkube.controllers.volumes.reclaim import Reclaim
from memkube.controllers.volumes.volume_index import VolumeIndex
from memkube.controllers.workloads.pod_state import uses_no_volumes
from memkube.registry.objects.stored import StoredObject

RESYNC_SECONDS: Final = 15.0
"""Seconds until a volume or claim that depends on other objects is checked again (``PVClaimBinderSyncPeriod``)."""
_RELEASED: Final = ("Released", "Failed")
_LOST_VOLUME: Final = Report(
    "Warning", "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
)
_LOST_REFERENCE: Final = Report(
    "Warning", "ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!"
)
_MISBOUND: Final = Report(
    "Warning", "ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly"
)
_NO_VOLUME: Final = Report(
    "Normal", "FailedBinding", "no persistent volumes available for this claim and no storage class is set"
)
_MODES_DIFFER: Final = "due to incompatible volumeMode."


class PersistentVolumeBinder:
    """Binds claims to volumes, releases and reclaims volumes, and requests new volumes from provisioners.

    kube-controller-manager checks all objects every 15 seconds. Here an object is checked again after 15 seconds only
    if a check may change something. This applies to claims that are not bound, volumes to be reclaimed, and objects
    whose counterpart (the claim or volume that they are bound to) has changed.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._pods = runtime.pods_by_claim
        self._classes = runtime.informers.of(*STORAGE_CLASSES)
        self._queue = runtime.queue("persistent volumes", self._sync)
        self._writes = BindingWrites(runtime)
        self._volumes, self._claims = self._writes.volumes, self._writes.claims
        self._index = VolumeIndex(self._volumes)
        self._migration = Migration(self._writes)
        self._provisioning = Provisioning(runtime, self._writes)
        self._reclaim = Reclaim(runtime, self._writes, self._queue.add)
        self._claims_by_volume: dict[str, set[Key]] = {}
        self._claims.subscribe(self._on_claim)
        self._volumes.subscribe(self._on_volume)

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        claim = new or old
        assert claim is not None
        key = (claim.namespace, claim.name)
        self._queue.add(key)
        before, after = _volume_name(old), _volume_name(new)
        if before != after:
            if before:
                self._claims_by_volume.get(before, set()).discard(key)
            if after:
                self._claims_by_volume.setdefault(after, set()).add(key)
        if new is None and before:
            self._queue.add(("", before))
        for name in sorted({before, after, *self._index.of_claim(key)} - {""}):
            self._resync(("", name))

    def _on_volume(self, old: StoredObject | None, new: StoredObject | None) -> None:
        volume = new or old
        assert volume is not None
        self._queue.add(("", volume.name))
        keys = self._claims_by_volume.get(volume.name, set()).copy()
        for each in (old, new):
            reference = None if each is None else each.document["spec"].get("claimRef")
            if reference is not None:
                keys.add(claim_key(reference))
                if new is None:
                    self._queue.add(claim_key(reference))
        for key in sorted(keys):
            self._resync(key)

    def _resync(self, key: Key) -> None:
        self._queue.add_after(key, RESYNC_SECONDS)

    async def _sync(self, key: Key) -> None:
        namespace, name = key
        stored = (self._claims if namespace else self._volumes).get(key)
        if namespace and stored is not None:
            await self._sync_claim(stored)
        elif namespace:
            self._provisioning.forget(key)
        elif stored is not None:
            await self._sync_volume(stored)
        else:
            await self._reclaim.forget(name)

    async def _sync_claim(self, claim: StoredObject) -> None:
        claim = await self._migration.annotate_claim(claim)
        if BIND_COMPLETED in annotations_of(claim.document):
            await self._sync_bound_claim(claim)
            return
        self._resync((claim.namespace, claim.name))
        if claim.document["spec"].get("volumeName"):
            await self._sync_claim_of_volume(claim)
        else:
            await self._sync_unbound_claim(claim)

    async def _sync_unbound_claim(self, claim: StoredObject) -> None:
        document = claim.document
        is_delayed = delays_binding(document, self._classes)
        volume = self._index.best(document, is_delayed=is_delayed)
        if volume is not None:
            await self._writes.bind(volume, claim)
            return
        if await self._assign_default_class(claim):
            return
        if is_delayed and SELECTED_NODE not in annotations_of(document):
            await self._writes.report(claim, self._waiting(claim))
        elif class_of(document):
            await self._provisioning.provision(claim)
            return
        else:
            await self._writes.report(claim, _NO_VOLUME)
        await self._writes.set_claim_status(claim, "Pending", None)

    async def _sync_claim_of_volume(self, claim: StoredObject) -> None:
        """Bind a claim to the volume in its ``volumeName``, if the volume is free and satisfies the claim."""
        document = claim.document
        volume = self._volumes.get(("", document["spec"]["volumeName"]))
        if volume is None:
            await self._writes.set_claim_status(claim, "Pending", None)
        elif volume.document["spec"].get("claimRef") is None:
            why = mismatch(volume.document, document)
            if not why:
                await self._writes.bind(volume, claim)
                return
            message = f"Cannot bind to requested volume {quoted(volume.name)}: {why}"
            await self._writes.report(claim, Report("Warning", "VolumeMismatch", message))
            await self._writes.set_claim_status(claim, "Pending", None)
        elif is_for_claim(volume.document, document):
            await self._writes.bind(volume, claim)
        else:
            message = f"volume {quoted(volume.name)} already bound to a different claim."
            await self._writes.report(claim, Report("Warning", "FailedBinding", message))
            if BOUND_BY_CONTROLLER in annotations_of(document):
                raise unclassified(f"invalid binding of claim {claim.namespace}/{claim.name} to volume {volume.name}")
            await self._writes.set_claim_status(claim, "Pending", None)

    async def _sync_bound_claim(self, claim: StoredObject) -> None:
        name = _volume_name(claim)
        volume = self._volumes.get(("", name)) if name else None
        if volume is None:
            lost = _LOST_VOLUME if name else _LOST_REFERENCE
            await self._writes.set_claim_status(claim, "Lost", None, lost)
            return
        reference = volume.document["spec"].get("claimRef")
        if reference is None or reference.get("uid") == claim.uid:
            await self._writes.bind(volume, claim)
        else:
            await self._writes.set_claim_status(claim, "Lost", None, _MISBOUND)

    async def _sync_volume(self, volume: StoredObject) -> None:
        volume = await self._migration.annotate_volume(volume)
        reference = volume.document["spec"].get("claimRef")
        if reference is None or not reference.get("uid"):
            await self._writes.set_volume_phase(volume, "Available")
            return
        claim = await self._claim_of(volume, reference)
        if claim is None:
            await self._release(volume)
        elif not _volume_name(claim):
            await self._hand_to_claim(volume, claim)
        elif _volume_name(claim) == volume.name:
            await self._writes.set_volume_phase(volume, "Bound")
        elif PROVISIONED_BY in annotations_of(volume.document) and _policy(volume) == "Delete":
            await self._release(volume)
        else:
            await self._writes.unbind(volume)

    async def _claim_of(self, volume: StoredObject, reference: Document) -> StoredObject | None:
        """Return the claim that the volume's ``claimRef``, `reference`, names; None if it is gone or has another uid.

        If the cache lacks this claim, it is read from the storage, unless the volume is released already.
        """
        key = claim_key(reference)
        claim = self._claims.get(key)
        if claim is None and volume.document["status"].get("phase") in _RELEASED:
            return None
        if claim is None or claim.uid != reference["uid"]:
            claim = await self._writes.read_claim(*key)
        return claim if claim is not None and claim.uid == reference["uid"] else None

    async def _hand_to_claim(self, volume: StoredObject, claim: StoredObject) -> None:
        """Queue a claim, so that it completes its binding to a volume.

        If claim and volume have different volume modes, record Events instead, which say that they cannot be bound.
        """
        if volume_mode(volume.document) == volume_mode(claim.document):
            self._queue.add((claim.namespace, claim.name))
            return
        self._resync(("", volume.name))
        message = (
            f"Cannot bind PersistentVolume to requested PersistentVolumeClaim {quoted(claim.name)} {_MODES_DIFFER}"
        )
        await self._writes.report(volume, Report("Warning", "VolumeMismatch", message))
        message = (
            f"Cannot bind PersistentVolume {quoted(volume.name)} to requested PersistentVolumeClaim {_MODES_DIFFER}"
        )
        await self._writes.report(claim, Report("Warning", "VolumeMismatch", message))

    async def _release(self, volume: StoredObject) -> None:
        if volume.document["status"].get("phase") not in _RELEASED:
            volume = await self._writes.set_volume_phase(volume, "Released")
        if await self._reclaim.reclaim(volume):
            self._resync(("", volume.name))

    async def _assign_default_class(self, claim: StoredObject) -> bool:
        """Write the default StorageClass into a claim without a class. Returns True if a default class exists."""
        name = None if has_class(claim.document) else default_class(stored.document for stored in self._classes)
        if name is None:
            return False

        def change(obj: PersistentVolumeClaim) -> None:
            obj.spec.storageClassName = name

        await self._writes.change_claim(claim, change)
        return True

    def _waiting(self, claim: StoredObject) -> Report:
        """Return the Event about a claim that is not bound before a pod that uses it is scheduled."""
        users = self._pods.of(claim.namespace, claim.name)
        names = [pod.name for pod in users if not node_of(pod) and not uses_no_volumes(pod)]
        if not names:
            message = "waiting for first consumer to be created before binding"
            return Report("Normal", "WaitForFirstConsumer", message)
        pods = f"pod {names[0]}" if len(names) == 1 else f"pods {','.join(names)}"
        return Report("Normal", "WaitForPodScheduled", f"waiting for {pods} to be scheduled")


def _volume_name(claim: StoredObject | None) -> str:
    name: str = "" if claim is None else claim.document["spec"].get("volumeName", "")
    return name


def _policy(volume: StoredObject) -> str:
    policy: str = volume.document["spec"].get("persistentVolumeReclaimPolicy", "")
    return policy
