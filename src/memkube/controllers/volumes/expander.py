"""Reports claims that only an external controller can enlarge (``pkg/controller/volume/expand``)."""

from typing import Final

from memkube.apimachinery.errors import unclassified
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.known_objects import Key
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.volumes.binding_rules import CLAIMS, VOLUMES, annotations_of, requested
from memkube.controllers.volumes.binding_writes import PRE_RESIZE_CAPACITY
from memkube.controllers.volumes.plugins import csi_driver_of, migrated_plugin_of
from memkube.registry.objects.stored import StoredObject

RESIZER: Final = "volume.kubernetes.io/storage-resizer"
"""Annotation of a claim with the name of the CSI driver that must enlarge its volume."""
_REASON: Final = "ExternalExpanding"
_WAITING: Final = Report("Normal", _REASON, "waiting for an external controller to expand this PVC")


class PersistentVolumeExpander:
    """Records Events about bound claims that request more storage than their volumes have.

    No plugin of kube-controller-manager can enlarge a volume, except that of FlexVolumes, which is not simulated.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._events = EventRecorder(runtime, "volume_expand")
        self._claims = runtime.informers.of(*CLAIMS)
        self._queue = runtime.queue("volume expand", self._sync)
        self._claims.subscribe(self._on_claim)

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None or new.document["status"].get("phase") != "Bound":
            return
        if old is None or _has_grown(old.document, new.document):
            self._queue.add((new.namespace, new.name))

    async def _sync(self, key: Key) -> None:
        claim = self._claims.get(*key)
        if claim is None:
            return
        resource = self._runtime.registry.find(*VOLUMES).resource
        volume = await self._runtime.client.get(resource, "", claim.document["spec"].get("volumeName", ""))
        reference = volume.document["spec"].get("claimRef") or {}
        if (reference.get("namespace"), reference.get("uid")) != (claim.namespace, claim.uid):
            raise unclassified(f"persistent Volume is not bound to PVC being updated : {'/'.join(key)}")
        is_large_enough = requested(claim.document).nano <= actual(claim.document).nano
        if is_large_enough and PRE_RESIZE_CAPACITY not in annotations_of(volume.document):
            return
        plugin = migrated_plugin_of(volume.document)
        if plugin:
            message = f"CSI migration enabled for {plugin}; waiting for external resizer to expand the pvc"
            await self._events.record(claim, Report("Normal", _REASON, message))
            await self._set_resizer(claim, csi_driver_of(plugin))
        else:
            await self._events.record(claim, _WAITING)

    async def _set_resizer(self, claim: StoredObject, driver: str) -> None:
        def change(obj: ApiObject) -> None:
            obj.metadata.annotations[RESIZER] = driver

        resource = self._runtime.registry.find(*CLAIMS).resource
        await self._runtime.client.update(resource, claim, change, subresource="status")


def actual(claim: Document) -> Quantity:
    """Return the storage capacity in the status of a claim; 0 if it has none."""
    return Quantity((claim["status"].get("capacity") or {}).get("storage", "0"))


def _has_grown(old: Document, new: Document) -> bool:
    return requested(new).nano > requested(old).nano or actual(new).nano > actual(old).nano
