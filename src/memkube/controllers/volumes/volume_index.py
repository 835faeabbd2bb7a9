"""Index of PersistentVolumes, which finds the best volume for a claim (``index.go``, ``FindMatchingVolume``)."""

from bisect import bisect_left, insort
from collections import Counter
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document
from memkube.controllers.framework.known_objects import KnownObjects
from memkube.controllers.volumes.binding_rules import (
    ClaimKey,
    attributes_class_of,
    capacity_of,
    claim_key,
    class_of,
    is_for_claim,
    is_like_claim,
    modes_of,
    requested,
    selects,
    volume_mode,
)
from memkube.registry.objects.stored import StoredObject

_Sized: TypeAlias = tuple[int, str]
"""Capacity of a volume in billionths of a byte, and name of the volume."""
_ORDER: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")


class _Shelf(NamedTuple):
    """The properties by which available volumes are grouped, to find a volume for a claim.

    The storage class, volume mode and attributes class of volume and claim must be equal. `modes` are the access modes
    of the volumes, which must include those of the claim.
    """

    storage_class: str
    volume_mode: str
    attributes_class: str
    modes: frozenset[str]


class VolumeIndex:
    """Index of volumes by claim, and of available volumes by class, mode, access modes and capacity.

    Among volumes of equal capacity, the first by name is chosen. In kube-controller-manager the choice is random.
    """

    def __init__(self, volumes: KnownObjects) -> None:
        self._volumes = volumes
        self._by_claim: dict[ClaimKey, set[str]] = {}
        self._available: dict[_Shelf, list[_Sized]] = {}
        self._modes: Counter[frozenset[str]] = Counter()
        """Number of volumes with each set of access modes."""
        volumes.subscribe(self._on_volume)

    def of_claim(self, key: ClaimKey) -> list[str]:
        """Return the names of the volumes whose ``claimRef`` names this claim."""
        return sorted(self._by_claim.get(key, ()))

    def best(self, claim: Document, *, is_delayed: bool) -> StoredObject | None:
        """Return the volume reserved for a claim, or else the smallest available one that satisfies it, or None.

        `is_delayed` is True if the claim's binding waits for a pod. Then only a reserved volume is returned, because
        the scheduler chooses among the available ones. As in kube-controller-manager, volumes with fewer access modes
        come first. Raises ValueError if the claim's selector is invalid.
        """
        is_selected = selects(claim)
        least, wanted = requested(claim).nano, modes_of(claim)
        for modes in sorted((m for m in self._modes if wanted <= m), key=_by_number):
            reserved = self._reserved(claim, modes, least)
            if reserved is not None:
                return reserved
            if is_delayed:
                continue
            shelf = _Shelf(class_of(claim), volume_mode(claim), attributes_class_of(claim), modes)
            sized = self._available.get(shelf, [])
            for _, name in sized[bisect_left(sized, (least, "")) :]:
                volume = self._volumes.get(("", name))
                if volume is not None and is_selected(volume.labels):
                    return volume
        return None

    def _reserved(self, claim: Document, modes: frozenset[str], least: int) -> StoredObject | None:
        metadata = claim["metadata"]
        for name in self.of_claim((metadata["namespace"], metadata["name"])):
            volume = self._volumes.get(("", name))
            if volume is not None and _can_be_reserved(volume.document, claim, modes, least):
                return volume
        return None

    def _on_volume(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None:
            self._unindex(old)
        if new is not None:
            self._index(new)

    def _index(self, stored: StoredObject) -> None:
        volume = stored.document
        self._modes[modes_of(volume)] += 1
        reference = volume["spec"].get("claimRef")
        if reference is not None:
            self._by_claim.setdefault(claim_key(reference), set()).add(stored.name)
        elif _is_available(volume):
            insort(self._available.setdefault(_shelf_of(volume), []), (capacity_of(volume).nano, stored.name))

    def _unindex(self, stored: StoredObject) -> None:
        volume = stored.document
        modes, reference = modes_of(volume), volume["spec"].get("claimRef")
        self._modes[modes] -= 1
        if not self._modes[modes]:
            del self._modes[modes]
        if reference is not None:
            names = self._by_claim[claim_key(reference)]
            names.discard(stored.name)
            if not names:
                del self._by_claim[claim_key(reference)]
        elif _is_available(volume):
            shelf = _shelf_of(volume)
            sized = self._available[shelf]
            del sized[bisect_left(sized, (capacity_of(volume).nano, stored.name))]
            if not sized:
                del self._available[shelf]


def _can_be_reserved(volume: Document, claim: Document, modes: frozenset[str], least: int) -> bool:
    return (
        is_for_claim(volume, claim)
        and modes_of(volume) == modes
        and capacity_of(volume).nano >= least
        and is_like_claim(volume, claim)
    )


def _is_available(volume: Document) -> bool:
    return volume["status"].get("phase") == "Available" and "deletionTimestamp" not in volume["metadata"]


def _shelf_of(volume: Document) -> _Shelf:
    return _Shelf(class_of(volume), volume_mode(volume), attributes_class_of(volume), modes_of(volume))


def _by_number(modes: frozenset[str]) -> tuple[int, list[int]]:
    return len(modes), sorted(_ORDER.index(mode) for mode in modes)
