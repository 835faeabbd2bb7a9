"""Tables of FlowSchemas."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", "TODO", age(obj), "TODO"]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("PriorityLevel", "TODO"),
        column("MatchingPrecedence", "TODO"),
        column("DistinguisherMethod", "TODO"),
        AGE,
        column("MissingPL", "TODO"),
    ),
    _cells,
)
