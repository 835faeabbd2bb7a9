"""Tables of PersistentVolumeClaims."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", "TODO", "TODO", "TODO", "TODO", age(obj), "TODO"]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Status", "TODO"),
        column("Volume", "TODO"),
        column("Capacity", "TODO"),
        column("Access Modes", "TODO"),
        column("StorageClass", "TODO"),
        column("VolumeAttributesClass", "TODO"),
        AGE,
        column("VolumeMode", "TODO", wide=True),
    ),
    _cells,
)
