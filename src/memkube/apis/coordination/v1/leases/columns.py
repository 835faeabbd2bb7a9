from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(lease: Document) -> Cells:
    return [lease["metadata"].get("name", ""), lease["spec"].get("holderIdentity", ""), age(lease)]


PRINTER: Final = CellPrinter((NAME, column("Holder", "Identity of the holder."), AGE), _cells)
