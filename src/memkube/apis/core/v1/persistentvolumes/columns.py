"""Table columns of PersistentVolumes, and cells shared with PersistentVolumeClaims."""

from collections.abc import Collection
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import STORAGE_CLASS_ANNOTATION
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column

UNSET: Final = "<unset>"
_SHORT_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}


def phase(document: Document) -> str:
    """Return the phase of a volume or claim, or Terminating if it is being deleted."""
    if document["metadata"].get("deletionTimestamp"):
        return "Terminating"
    return str(document["status"].get("phase", ""))


def storage_class(document: Document) -> str:
    """Return the storage class of a volume or claim: from the deprecated annotation if set, else from the spec."""
    annotations = document["metadata"].get("annotations") or {}
    return str(annotations.get(STORAGE_CLASS_ANNOTATION, document["spec"].get("storageClassName", "")))


def short_access_modes(modes: Collection[str]) -> str:
    """Return access modes as abbreviations such as RWO, in kube-apiserver's order, separated by commas."""
    return ",".join(short for mode, short in _SHORT_MODES.items() if mode in modes)


def _cells(volume: Document) -> Cells:
    spec = volume["spec"]
    claim = spec.get("claimRef")
    return [
        volume["metadata"].get("name", ""),
        (spec.get("capacity") or {}).get("storage", "0"),
        short_access_modes(spec.get("accessModes") or ()),
        spec.get("persistentVolumeReclaimPolicy", ""),
        phase(volume),
        "" if claim is None else f"{claim.get('namespace', '')}/{claim.get('name', '')}",
        storage_class(volume),
        spec.get("volumeAttributesClassName", UNSET),
        volume["status"].get("reason", ""),
        age(volume),
        spec.get("volumeMode", UNSET),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Capacity", "Capacity of the volume."),
        column("Access Modes", "Access modes of the volume."),
        column("Reclaim Policy", "Action on the volume when its claim is deleted."),
        column("Status", "Phase of the volume: Pending, Available, Bound, Released or Failed."),
        column("Claim", "Namespace and name of the claim that the volume is bound to."),
        column("StorageClass", "Storage class of the volume."),
        column("VolumeAttributesClass", "VolumeAttributesClass of the volume."),
        column("Reason", "Reason for the phase."),
        AGE,
        column("VolumeMode", "Volume mode: Filesystem or Block.", wide=True),
    ),
    _cells,
)
