from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(api_service: Document) -> Cells:
    service = api_service["spec"].get("service")
    shown = "Local" if service is None else f"{service.get('namespace', '')}/{service.get('name', '')}"
    return [api_service["metadata"].get("name", ""), shown, _availability(api_service), age(api_service)]


def _availability(api_service: Document) -> str:
    for condition in api_service["status"].get("conditions") or ():
        if condition["type"] == "Available":
            status, reason = condition["status"], condition.get("reason")
            return f"{status} ({reason})" if reason and status != "True" else str(status)
    return "Unknown"


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Service", "Service of the extension API server, as namespace/name."),
        column("Available", "Whether the group and version is available."),
        AGE,
    ),
    _cells,
)
