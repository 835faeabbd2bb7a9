"""Tables of LimitRanges."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import NAME, CellPrinter, Cells, column


def _cells(limit_range: Document) -> Cells:
    metadata = limit_range["metadata"]
    return [metadata.get("name", ""), metadata.get("creationTimestamp")]


PRINTER: Final = CellPrinter((NAME, column("Created At", "When the object was created.", cell_type="date")), _cells)
