"""Tables of ServiceCIDRs."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", age(obj)]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("CIDRs", "TODO"),
        AGE,
    ),
    _cells,
)
