from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(namespace: Document) -> Cells:
    return [namespace["metadata"].get("name", ""), namespace["status"].get("phase", ""), age(namespace)]


PRINTER: Final = CellPrinter((NAME, column("Status", "Phase of the namespace: Active or Terminating."), AGE), _cells)
