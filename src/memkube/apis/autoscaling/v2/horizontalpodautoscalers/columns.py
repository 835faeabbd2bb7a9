"""Tables of HorizontalPodAutoscalers."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", "TODO", "TODO", "TODO", age(obj)]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Reference", "TODO"),
        column("Targets", "TODO"),
        column("MinPods", "TODO"),
        column("MaxPods", "TODO"),
        column("Replicas", "TODO"),
        AGE,
    ),
    _cells,
)
