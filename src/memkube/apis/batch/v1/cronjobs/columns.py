"""Tables of CronJobs."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", "TODO", "TODO", "TODO", age(obj), "TODO", "TODO", "TODO"]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Schedule", "TODO"),
        column("Timezone", "TODO"),
        column("Suspend", "TODO", cell_type="boolean"),
        column("Active", "TODO", cell_type="integer"),
        column("Last Schedule", "TODO"),
        AGE,
        column("Containers", "TODO", wide=True),
        column("Images", "TODO", wide=True),
        column("Selector", "TODO", wide=True),
    ),
    _cells,
)
