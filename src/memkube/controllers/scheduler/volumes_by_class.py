"""Index of PersistentVolumes by StorageClass for the scheduler, with parsed node affinity."""

from collections.abc import Mapping, Sequence
from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.node_term import NodeTerm
from memkube.controllers.volumes.binding_rules import class_of
from memkube.registry.objects.stored import StoredObject

_NONE: Final[Mapping[str, StoredObject]] = {}


class VolumesByClass:
    """PersistentVolumes by StorageClass, and the parsed node affinity of each volume."""

    def __init__(self) -> None:
        self._volumes: dict[str, dict[str, StoredObject]] = {}
        self._terms: dict[str, tuple[Document | None, Sequence[NodeTerm] | None]] = {}
        """Required node affinity of each PersistentVolume, as JSON data and parsed, by the name of the volume."""

    def of(self, storage_class: str) -> Sequence[StoredObject]:
        """Return the PersistentVolumes of a StorageClass."""
        return list(self._volumes.get(storage_class, _NONE).values())

    def terms_of(self, volume: StoredObject) -> Sequence[NodeTerm] | None:
        """Return the terms of a PersistentVolume's node affinity; None if all nodes can access the volume."""
        required = (volume.document["spec"].get("nodeAffinity") or {}).get("required")
        if required is None:
            return None
        known = self._terms.get(volume.name)
        if known is None or known[0] != required:
            terms = [NodeTerm(term) for term in required["nodeSelectorTerms"] or ()]
            known = self._terms[volume.name] = required, terms
        return known[1]

    def on_volume(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Update the index after a PersistentVolume was created, changed or deleted."""
        if old is not None:
            volumes = self._volumes.get(class_of(old.document), {})
            volumes.pop(old.name, None)
            if not volumes:
                self._volumes.pop(class_of(old.document), None)
            if new is None:
                self._terms.pop(old.name, None)
        if new is not None:
            self._volumes.setdefault(class_of(new.document), {})[new.name] = new
