"""Tables of CSIDrivers."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", "TODO", "TODO", "TODO", "TODO", age(obj)]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("AttachRequired", "TODO", cell_type="boolean"),
        column("PodInfoOnMount", "TODO", cell_type="boolean"),
        column("StorageCapacity", "TODO", cell_type="boolean"),
        column("TokenRequests", "TODO"),
        column("RequiresRepublish", "TODO", cell_type="boolean"),
        column("Modes", "TODO"),
        AGE,
    ),
    _cells,
)
