"""Table columns of PriorityLevelConfigurations."""

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
        column("NominalConcurrencyShares", "The level's share of the server's seats, beside those of others."),
        column("Queues", "How many queues the level has."),
        column("HandSize", "Of how many queues a flow's requests take the shortest."),
        column("QueueLengthLimit", "How many requests may wait in one queue."),
        AGE,
    ),
    _cells,
)
