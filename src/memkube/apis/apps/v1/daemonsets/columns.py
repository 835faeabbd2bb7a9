from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.container_columns import (
    CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
    container_cells,
    labels_cell,
    selector_cell,
)
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column

_COUNTS: Final = (
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
)


def _cells(daemon_set: Document) -> Cells:
    spec, status = daemon_set["spec"], daemon_set["status"]
    template = spec["template"]
    return [
        daemon_set["metadata"].get("name", ""),
        *(status.get(count, 0) for count in _COUNTS),
        labels_cell(template["spec"].get("nodeSelector")),
        age(daemon_set),
        *container_cells(template),
        selector_cell(spec.get("selector")),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Desired", "Number of nodes that should run the pod.", cell_type="integer"),
        column("Current", "Number of nodes that run the pod.", cell_type="integer"),
        column("Ready", "Number of nodes with a ready pod.", cell_type="integer"),
        column("Up-to-date", "Number of nodes with a pod of the newest template.", cell_type="integer"),
        column("Available", "Number of nodes with an available pod.", cell_type="integer"),
        column("Node Selector", "Node labels that pods require."),
        AGE,
        *CONTAINER_COLUMNS,
        SELECTOR_COLUMN,
    ),
    _cells,
)
