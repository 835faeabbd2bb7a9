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
        column("Capacity", "Capacity of the volume."),
        column("Access Modes", "Access modes of the volume."),
        column("StorageClass", "Storage class of the claim."),
        column("VolumeAttributesClass", "VolumeAttributesClass of the claim."),
        AGE,
        column("VolumeMode", "Volume mode: Filesystem or Block.", wide=True),
    ),
    _cells,
)
