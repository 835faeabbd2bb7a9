"""Tables of PodTemplates."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import NAME, CellPrinter, Cells, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", "TODO"]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Containers", "TODO"),
        column("Images", "TODO"),
        column("Pod Labels", "TODO"),
    ),
    _cells,
)
