"""Tables of ReplicaSets."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.container_columns import CONTAINER_COLUMNS, container_cells, selector_cell
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(replica_set: Document) -> Cells:
    spec, status = replica_set["spec"], replica_set["status"]
    return [
        replica_set["metadata"].get("name", ""),
        spec.get("replicas", 0),
        status.get("replicas", 0),
        status.get("readyReplicas", 0),
        age(replica_set),
        *container_cells(spec["template"]),
        selector_cell(spec["selector"]),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Desired", "Number of pods wanted.", cell_type="integer"),
        column("Current", "Number of pods that there are.", cell_type="integer"),
        column("Ready", "Number of pods that are ready.", cell_type="integer"),
        AGE,
        *CONTAINER_COLUMNS,
        column("Selector", "Labels that the pods have.", wide=True),
    ),
    _cells,
)
