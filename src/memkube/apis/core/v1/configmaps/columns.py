from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(config_map: Document) -> Cells:
    entries = len(config_map.get("data") or ()) + len(config_map.get("binaryData") or ())
    return [config_map["metadata"].get("name", ""), entries, age(config_map)]


PRINTER: Final = CellPrinter((NAME, column("Data", "Number of entries, binary ones included."), AGE), _cells)
