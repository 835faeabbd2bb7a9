from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column

_NONE: Final = "<none>"


def _cells(level: Document) -> Cells:
    spec = level["spec"]
    limited = spec.get("limited")
    queuing = (limited or {}).get("limitResponse", {}).get("queuing")
    return [
        level["metadata"].get("name", ""),
        spec["type"],
        _NONE if limited is None else limited["nominalConcurrencyShares"],
        *(_NONE if queuing is None else queuing[name] for name in ("queues", "handSize", "queueLengthLimit")),
        age(level),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Type", "Limited, or Exempt for requests that never wait."),
        column("NominalConcurrencyShares", "Share of the server's concurrency, relative to other levels."),
        column("Queues", "Number of queues."),
        column("HandSize", "Number of queues dealt to each flow."),
        column("QueueLengthLimit", "Maximum number of requests in a queue."),
        AGE,
    ),
    _cells,
)
