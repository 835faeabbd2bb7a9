"""Tables of PriorityClasss."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", age(obj), "TODO"]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Value", "TODO", cell_type="integer"),
        column("Global-Default", "TODO", cell_type="boolean"),
        AGE,
        column("PreemptionPolicy", "TODO"),
    ),
    _cells,
)
