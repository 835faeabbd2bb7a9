"""Tables of ResourceQuotas."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", age(obj)]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Request", "TODO"),
        column("Limit", "TODO"),
        AGE,
    ),
    _cells,
)
