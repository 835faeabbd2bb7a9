"""Tables of ResourceSlices."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", "TODO", age(obj)]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Node", "TODO"),
        column("Driver", "TODO"),
        column("Pool", "TODO"),
        AGE,
    ),
    _cells,
)
