"""Tables of Services."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", "TODO", "TODO", age(obj), "TODO"]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Type", "TODO"),
        column("Cluster-IP", "TODO"),
        column("External-IP", "TODO"),
        column("Port(s)", "TODO"),
        AGE,
        column("Selector", "TODO", wide=True),
    ),
    _cells,
)
