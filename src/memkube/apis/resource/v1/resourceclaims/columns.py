from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(claim: Document) -> Cells:
    return [claim["metadata"].get("name", ""), _state(claim), age(claim)]


def _state(claim: Document) -> str:
    deleted, status = bool(claim["metadata"].get("deletionTimestamp")), claim["status"]
    allocated = status.get("allocation") is not None
    states = {
        "deleted": deleted,
        "pending": not allocated and not deleted,
        "allocated": allocated,
        "reserved": allocated and bool(status.get("reservedFor")),
    }
    return ",".join(state for state, holds in states.items() if holds)


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("State", "Whether the claim is allocated, and whether it is reserved."),
        AGE,
    ),
    _cells,
)
