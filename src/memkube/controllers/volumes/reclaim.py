"""Applies the reclaim policies of released volumes (``reclaimVolume``)."""

from collections.abc import Callable
from typing import Final

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apis.core.v1.persistentvolumes.types import PersistentVolume
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.framework.known_objects import Key
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.volumes.binding_rules import MIGRATED_TO, VOLUMES, annotations_of, claim_key
from memkube.controllers.volumes.binding_writes import BindingWrites
from memkube.controllers.volumes.migration import IN_TREE_FINALIZER
from memkube.controllers.volumes.operations import BackOff
from memkube.controllers.volumes.plugins import NoPlugin, deletes, deletion_failure, recycled_source
from memkube.controllers.volumes.recycler import Recycler, Recycling
from memkube.controllers.workloads.pod_state import uses_no_volumes
from memkube.registry.objects.stored import StoredObject

_RECYCLED: Final = Report("Normal", "VolumeRecycled", "Volume recycled")


class Reclaim:
    """Keeps, deletes or recycles released volumes.

    `wake` is called with the key of a volume when its recycler pod has ended.
    """

    def __init__(self, runtime: Runtime, writes: BindingWrites, wake: Callable[[Key], None]) -> None:
        self._runtime = runtime
        self._writes = writes
        self._pods = runtime.pods_by_claim
        self._back_off = BackOff(runtime.clock)
        self._recycler = Recycler(runtime, writes.report, wake)

    async def forget(self, volume: str) -> None:
        """Remove the recorded state of a deleted volume, and its recycler pod if that has ended."""
        self._back_off.forget(("", volume))
        run = self._recycler.run_of(volume)
        if run is not None and run.has_ended:
            await self._recycler.finish(volume)

    async def reclaim(self, volume: StoredObject) -> bool:
        """Apply the reclaim policy to a released volume. Returns True if this must be repeated later."""
        if annotations_of(volume.document).get(MIGRATED_TO):
            return False
        policy = volume.document["spec"].get("persistentVolumeReclaimPolicy")
        if policy == "Delete":
            return await self._delete(volume)
        if policy == "Recycle":
            return await self._recycle(volume)
        return False

    async def _delete(self, volume: StoredObject) -> bool:
        key = ("", volume.name)
        if self._back_off.is_postponed(key, volume.uid):
            return True
        try:
            if not deletes(volume.document):
                return False
        except NoPlugin as error:
            await self._fail(volume, "VolumeFailedDelete", str(error))
            return True
        newest = await self._writes.read_volume(volume.name)
        if newest is None or not self._is_released(newest):
            return False
        why = deletion_failure(volume.document)
        if why:
            self._back_off.failed(key, volume.uid)
            await self._fail(volume, "VolumeFailedDelete", why)
            return True
        self._back_off.forget(key)
        await self._delete_object(newest)
        return False

    async def _delete_object(self, volume: StoredObject) -> None:
        if IN_TREE_FINALIZER in (volume.document["metadata"].get("finalizers") or ()):

            def change(obj: PersistentVolume) -> None:
                obj.metadata.finalizers = [name for name in obj.metadata.finalizers if name != IN_TREE_FINALIZER]

            await self._writes.change_volume(volume, change)
        resource = self._runtime.registry.find(*VOLUMES).resource
        with ignoring_absence():
            await self._runtime.client.delete(resource, "", volume.name, DeleteOptions())

    async def _recycle(self, volume: StoredObject) -> bool:
        run = self._recycler.run_of(volume.name)
        if run is not None:
            if run.has_ended:
                await self._end_recycling(volume, run)
            return run.has_ended and bool(run.failure)
        newest = await self._writes.read_volume(volume.name)
        if newest is not None and self._is_released(newest):
            await self._begin_to_recycle(newest)
        return True

    async def _end_recycling(self, volume: StoredObject, run: Recycling) -> None:
        await self._recycler.finish(volume.name)
        if run.failure:
            await self._fail(volume, "VolumeFailedRecycle", f"Recycle failed: {run.failure}")
        else:
            await self._writes.report(volume, _RECYCLED)
            await self._writes.unbind(volume)

    async def _begin_to_recycle(self, volume: StoredObject) -> None:
        users = self._users(volume)
        if users and self._writes.claims.get(claim_key(volume.document["spec"]["claimRef"])) is None:
            message = f"Volume is used by pods: {','.join(users)}"
            await self._writes.report(volume, Report("Normal", "VolumeFailedRecycle", message))
            return
        source = recycled_source(volume.document)
        if source is None:
            await self._fail(volume, "VolumeFailedRecycle", "No recycler plugin found for the volume!")
            return
        why = await self._recycler.start(volume, source)
        if why:
            await self._fail(volume, "VolumeFailedRecycle", f"Recycle failed: {why}")

    async def _fail(self, volume: StoredObject, reason: str, message: str) -> None:
        await self._writes.set_volume_phase(volume, "Failed", message, Report("Warning", reason, message))

    def _is_released(self, volume: StoredObject) -> bool:
        """True if the claim of a volume does not exist or is bound to another volume."""
        reference = volume.document["spec"].get("claimRef")
        if reference is None or not reference.get("uid"):
            return False
        claim = self._writes.claims.get(claim_key(reference))
        if claim is None or claim.uid != reference["uid"]:
            return True
        return claim.document["spec"].get("volumeName", "") not in ("", volume.name)

    def _users(self, volume: StoredObject) -> list[str]:
        """Return the names of the active pods that use a volume's claim."""
        namespace, name = claim_key(volume.document["spec"]["claimRef"])
        users = (pod for pod in self._pods.of(namespace, name) if not uses_no_volumes(pod))
        return sorted(f"{pod.namespace}/{pod.name}" for pod in users)
