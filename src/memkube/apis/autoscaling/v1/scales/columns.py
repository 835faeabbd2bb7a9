from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME_DESCRIPTION, CellPrinter, Cells, age, column


def _cells(scale: Document) -> Cells:
    wanted, there = scale["spec"].get("replicas", 0), scale["status"].get("replicas", 0)
    return [scale["metadata"].get("name", ""), wanted, there, age(scale)]


PRINTER: Final = CellPrinter(
    (
        column("Name", NAME_DESCRIPTION),
        column("Desired", "Desired number of pods.", cell_type="integer"),
        column("Available", "Number of pods.", cell_type="integer"),
        AGE,
    ),
    _cells,
)
