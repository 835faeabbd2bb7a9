"""Tables of DaemonSets."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [
        obj["metadata"].get("name", ""),
        "TODO",
        "TODO",
        "TODO",
        "TODO",
        "TODO",
        "TODO",
        age(obj),
        "TODO",
        "TODO",
        "TODO",
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Desired", "TODO", cell_type="integer"),
        column("Current", "TODO", cell_type="integer"),
        column("Ready", "TODO", cell_type="integer"),
        column("Up-to-date", "TODO", cell_type="integer"),
        column("Available", "TODO", cell_type="integer"),
        column("Node Selector", "TODO"),
        AGE,
        column("Containers", "TODO", wide=True),
        column("Images", "TODO", wide=True),
        column("Selector", "TODO", wide=True),
    ),
    _cells,
)
