"""Tables of MutatingWebhookConfigurations."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells_of_mutatingwebhookconfiguration(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", age(obj)]


MUTATING_WEBHOOK_CONFIGURATIONS_PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Webhooks", "TODO", cell_type="integer"),
        AGE,
    ),
    _cells_of_mutatingwebhookconfiguration,
)


def _cells_of_validatingwebhookconfiguration(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", age(obj)]


VALIDATING_WEBHOOK_CONFIGURATIONS_PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Webhooks", "TODO", cell_type="integer"),
        AGE,
    ),
    _cells_of_validatingwebhookconfiguration,
)
