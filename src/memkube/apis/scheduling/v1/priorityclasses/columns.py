from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(priority_class: Document) -> Cells:
    return [
        priority_class["metadata"].get("name", ""),
        priority_class["value"],
        priority_class.get("globalDefault", False),
        age(priority_class),
        priority_class.get("preemptionPolicy", ""),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Value", "Priority of the pods.", cell_type="integer"),
        column("Global-Default", "Whether the class is the default for pods.", cell_type="boolean"),
        AGE,
        column("PreemptionPolicy", "Whether pods may preempt pods of lower priority."),
    ),
    _cells,
)
