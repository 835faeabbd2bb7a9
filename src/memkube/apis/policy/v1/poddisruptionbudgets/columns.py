from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(budget: Document) -> Cells:
    spec = budget["spec"]
    return [
        budget["metadata"].get("name", ""),
        _amount(spec.get("minAvailable")),
        _amount(spec.get("maxUnavailable")),
        budget["status"].get("disruptionsAllowed", 0),
        age(budget),
    ]


def _amount(value: int | str | None) -> str:
    return "N/A" if value is None else str(value)


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Min Available", "Number or percentage of pods that must stay available after an eviction."),
        column("Max Unavailable", "Number or percentage of pods that may be unavailable after an eviction."),
        column("Allowed Disruptions", "Number of pods that may be evicted now.", cell_type="integer"),
        AGE,
    ),
    _cells,
)
