from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import NAME, CellPrinter, Cells, column


def _cells(component: Document) -> Cells:
    name = component["metadata"].get("name", "")
    for condition in component.get("conditions") or ():
        if condition["type"] == "Healthy":
            status = "Healthy" if condition["status"] == "True" else "Unhealthy"
            return [name, status, condition.get("message", ""), condition.get("error", "")]
    return [name, "Unknown", "", ""]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Status", "Whether the component is healthy."),
        column("Message", "Response of the component to the health check."),
        column("Error", "Error of the health check."),
    ),
    _cells,
)
