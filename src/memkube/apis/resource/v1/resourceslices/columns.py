from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(part: Document) -> Cells:
    spec = part["spec"]
    name = part["metadata"].get("name", "")
    return [name, spec.get("nodeName", ""), spec["driver"], spec["pool"]["name"], age(part)]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Node", "Node of the devices, if there is a single one."),
        column("Driver", "Driver of the devices."),
        column("Pool", "Pool of the devices."),
        AGE,
    ),
    _cells,
)
