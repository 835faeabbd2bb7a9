"""Table columns of PersistentVolumeClaims."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.persistentvolumes.columns import UNSET, phase, short_access_modes, storage_class
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(claim: Document) -> Cells:
    spec, status = claim["spec"], claim["status"]
    volume = spec.get("volumeName", "")
    return [
        claim["metadata"].get("name", ""),
        phase(claim),
        volume,
        (status.get("capacity") or {}).get("storage", "0") if volume else "",
        short_access_modes(status.get("accessModes") or ()) if volume else "",
        storage_class(claim),
        spec.get("volumeAttributesClassName", UNSET),
        age(claim),
        spec.get("volumeMode", UNSET),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Status", "Phase of the claim: Pending, Bound or Lost."),
        column("Volume", "Volume that the claim is bound to."),
        column("Capacity", "How large the volume is."),
        column("Access Modes", "Ways in which the volume can be used."),
        column("StorageClass", "Storage class that the claim asks for."),
        column("VolumeAttributesClass", "Class whose attributes the claim asks for."),
        AGE,
        column("VolumeMode", "Whether the volume has a file system.", wide=True),
    ),
    _cells,
)
