from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(configuration: Document) -> Cells:
    return [configuration["metadata"].get("name", ""), len(configuration.get("webhooks") or ()), age(configuration)]


PRINTER: Final = CellPrinter((NAME, column("Webhooks", "Number of webhooks.", cell_type="integer"), AGE), _cells)
