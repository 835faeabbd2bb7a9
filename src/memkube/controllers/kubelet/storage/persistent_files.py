"""Files in PersistentVolumes, which outlast the pods that write them."""

from collections.abc import Iterable

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.controllers.kubelet.programs.inodes import Contents
from memkube.controllers.kubelet.programs.journal import restored_contents, saved_contents
from memkube.registry.objects.stored import StoredObject


class PersistentFiles:
    """The files of PersistentVolumes by uid, for all nodes.

    If a volume is deleted or recycled, its files are removed.
    """

    def __init__(self, volumes: Informer, saved: Iterable[Document] = ()) -> None:
        """Create the index of files by PersistentVolume, with the files from a snapshot (`saved`).

        `volumes` is the informer of PersistentVolumes: files of deleted volumes are removed.

        Raises AttributeError, KeyError, TypeError or ValueError for malformed data.
        """
        self._contents: dict[str, Contents] = {one["uid"]: restored_contents(one["files"]) for one in saved}
        volumes.subscribe(self._on_volume)

    def of(self, uid: str) -> Contents:
        """Return the files of the PersistentVolume with this uid. Containers may change them."""
        return self._contents.setdefault(uid, {})

    def saved(self) -> list[Document]:
        """Return the files of all PersistentVolumes as JSON data, for a snapshot."""
        return [{"uid": uid, "files": saved_contents(files)} for uid, files in sorted(self._contents.items()) if files]

    def _on_volume(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None or new.document["status"].get("phase") == "Available":
            volume = new or old
            assert volume is not None
            self._contents.pop(volume.uid, None)
