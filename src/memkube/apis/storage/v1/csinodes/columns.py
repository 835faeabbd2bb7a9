from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(node: Document) -> Cells:
    return [node["metadata"].get("name", ""), len(node["spec"]["drivers"] or ()), age(node)]


PRINTER: Final = CellPrinter(
    (NAME, column("Drivers", "Number of drivers on the node.", cell_type="integer"), AGE),
    _cells,
)
