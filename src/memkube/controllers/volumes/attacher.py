"""A simulated external attacher of CSI volumes (external-attacher)."""

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.storage.v1.volumeattachments.types import VolumeAttachment
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.volumes.attach_detach import ATTACHMENTS
from memkube.registry.objects.stored import StoredObject


class SimulatedAttacher:
    """Marks VolumeAttachments as attached, because the simulated nodes can access all volumes.

    An attachment of a PersistentVolume that does not exist stays as it is until the volume is created.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._client = runtime.client_of("storage-provisioner")
        self._runtime = runtime
        self._attachments = runtime.informers.of(*ATTACHMENTS)
        self._volumes = runtime.informers.of("", "v1", "persistentvolumes")
        self._queue = runtime.queue("storage attacher", self._sync)
        self._attachments.subscribe(self._on_attachment)
        self._volumes.subscribe(self._on_volume)

    def _on_attachment(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and not (new.document.get("status") or {}).get("attached"):
            self._queue.add(new.name)

    def _on_volume(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is None and new is not None:
            for attachment in self._attachments:
                if _volume_name(attachment) == new.name:
                    self._on_attachment(None, attachment)

    async def _sync(self, name: str) -> None:
        attachment = self._attachments.get("", name)
        if attachment is None:
            return
        volume = _volume_name(attachment)
        if volume is not None and self._volumes.get("", volume) is None:
            return

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, VolumeAttachment)
            obj.status.attached, obj.status.attachError = True, None

        resource = self._runtime.registry.find(*ATTACHMENTS).resource
        with ignoring_absence():
            await self._client.update(resource, attachment, change, subresource="status")


def _volume_name(attachment: StoredObject) -> str | None:
    """Return the name of the PersistentVolume that is to be attached; None for an inline volume."""
    name: str | None = attachment.document["spec"]["source"].get("persistentVolumeName")
    return name
