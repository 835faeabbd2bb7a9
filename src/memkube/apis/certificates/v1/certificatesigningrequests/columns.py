"""Tables of CertificateSigningRequests."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), age(obj), "TODO", "TODO", "TODO", "TODO"]


PRINTER: Final = CellPrinter(
    (
        NAME,
        AGE,
        column("SignerName", "TODO"),
        column("Requestor", "TODO"),
        column("RequestedDuration", "TODO"),
        column("Condition", "TODO"),
    ),
    _cells,
)
