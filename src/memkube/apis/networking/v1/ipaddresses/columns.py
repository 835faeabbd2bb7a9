"""Tables of IPAddresss."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import NAME, CellPrinter, Cells, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO"]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("ParentRef", "TODO"),
    ),
    _cells,
)
