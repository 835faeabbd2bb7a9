from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.container_columns import (
    CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
    container_cells,
    selector_cell,
)
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(deployment: Document) -> Cells:
    spec, status = deployment["spec"], deployment["status"]
    return [
        deployment["metadata"].get("name", ""),
        f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 0)}",
        status.get("updatedReplicas", 0),
        status.get("availableReplicas", 0),
        age(deployment),
        *container_cells(spec["template"]),
        selector_cell(spec["selector"]),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Ready", "Number of ready pods, and the desired number."),
        column("Up-to-date", "Number of pods of the current template."),
        column("Available", "Number of available pods."),
        AGE,
        *CONTAINER_COLUMNS,
        SELECTOR_COLUMN,
    ),
    _cells,
)
