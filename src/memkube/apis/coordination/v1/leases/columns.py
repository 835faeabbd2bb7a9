"""Tables of Leases."""

from datetime import datetime
from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(lease: Document, now: datetime) -> Cells:
    return [lease["metadata"].get("name", ""), lease["spec"].get("holderIdentity", ""), age(lease, now)]


PRINTER: Final = CellPrinter((NAME, column("Holder", "Who holds the lease."), AGE), _cells)
