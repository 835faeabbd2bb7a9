from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.container_columns import CONTAINER_COLUMNS, container_cells
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(stateful_set: Document) -> Cells:
    spec, status = stateful_set["spec"], stateful_set["status"]
    return [
        stateful_set["metadata"].get("name", ""),
        f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 0)}",
        age(stateful_set),
        *container_cells(spec["template"]),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Ready", "Number of ready pods, and the desired number."),
        AGE,
        *CONTAINER_COLUMNS,
    ),
    _cells,
)
