from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(attributes_class: Document) -> Cells:
    return [attributes_class["metadata"].get("name", ""), attributes_class["driverName"], age(attributes_class)]


PRINTER: Final = CellPrinter(
    (NAME, column("DriverName", "Name of the CSI driver."), AGE),
    _cells,
)
