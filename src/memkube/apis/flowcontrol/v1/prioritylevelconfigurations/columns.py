"""Tables of PriorityLevelConfigurations."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", "TODO", "TODO", "TODO", age(obj)]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Type", "TODO"),
        column("NominalConcurrencyShares", "TODO"),
        column("Queues", "TODO"),
        column("HandSize", "TODO"),
        column("QueueLengthLimit", "TODO"),
        AGE,
    ),
    _cells,
)
