from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(runtime_class: Document) -> Cells:
    return [runtime_class["metadata"].get("name", ""), runtime_class["handler"], age(runtime_class)]


PRINTER: Final = CellPrinter((NAME, column("Handler", "Name of the runtime handler on the nodes."), AGE), _cells)
