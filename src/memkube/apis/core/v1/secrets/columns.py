"""Table columns of Secrets: type and number of keys, but no values."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(secret: Document) -> Cells:
    return [secret["metadata"].get("name", ""), secret.get("type", ""), len(secret.get("data") or ()), age(secret)]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Type", "Type of the secret, such as Opaque or kubernetes.io/tls."),
        column("Data", "Number of entries."),
        AGE,
    ),
    _cells,
)
