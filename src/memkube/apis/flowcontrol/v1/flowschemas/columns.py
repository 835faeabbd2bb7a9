from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(schema: Document) -> Cells:
    spec = schema["spec"]
    method = spec.get("distinguisherMethod")
    conditions = schema["status"].get("conditions") or ()
    return [
        schema["metadata"].get("name", ""),
        spec["priorityLevelConfiguration"]["name"],
        spec["matchingPrecedence"],
        "<none>" if method is None else method["type"],
        age(schema),
        next((c.get("status", "") for c in conditions if c.get("type") == "Dangling"), "?"),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("PriorityLevel", "Priority level that serves the requests."),
        column("MatchingPrecedence", "Order in which schemas are tried, lowest first."),
        column("DistinguisherMethod", "Method of dividing requests into flows."),
        AGE,
        column("MissingPL", "True if the priority level does not exist."),
    ),
    _cells,
)
