"""Table columns of CustomResourceDefinitions: only the name and creation time."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import NAME, CellPrinter, Cells, column


def _cells(definition: Document) -> Cells:
    metadata = definition["metadata"]
    return [metadata.get("name", ""), metadata.get("creationTimestamp")]


PRINTER: Final = CellPrinter(
    (NAME, column("Created At", "Time when the object was created.", cell_type="date")),
    _cells,
)
