"""Tables of VolumeAttachments."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", "TODO", "TODO", age(obj)]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Attacher", "TODO"),
        column("PV", "TODO"),
        column("Node", "TODO"),
        column("Attached", "TODO", cell_type="boolean"),
        AGE,
    ),
    _cells,
)
