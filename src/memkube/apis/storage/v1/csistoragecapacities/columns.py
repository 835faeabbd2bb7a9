"""Tables of CSIStorageCapacities: of this kind the reference shows what it shows of kinds that it does not know."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import NAME, CellPrinter, Cells, column


def _cells(capacity: Document) -> Cells:
    metadata = capacity["metadata"]
    return [metadata.get("name", ""), metadata.get("creationTimestamp")]


PRINTER: Final = CellPrinter((NAME, column("Created At", "When the object was created.", cell_type="date")), _cells)
