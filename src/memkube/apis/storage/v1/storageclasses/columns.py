from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.storage.v1.classes import is_default_class
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(storage_class: Document) -> Cells:
    name = storage_class["metadata"].get("name", "")
    return [
        f"{name} (default)" if is_default_class(storage_class) else name,
        storage_class["provisioner"],
        storage_class.get("reclaimPolicy", "Delete"),
        storage_class.get("volumeBindingMode", "Immediate"),
        storage_class.get("allowVolumeExpansion", False),
        age(storage_class),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Provisioner", "Provisioner of the volumes."),
        column("ReclaimPolicy", "Action on a volume when its claim is deleted."),
        column("VolumeBindingMode", "Time of provisioning and binding: Immediate or WaitForFirstConsumer."),
        column("AllowVolumeExpansion", "Whether volumes may be expanded."),
        AGE,
    ),
    _cells,
)
