"""Tables of ReplicationControllers."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.container_columns import CONTAINER_COLUMNS, container_cells
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(controller: Document) -> Cells:
    spec, status = controller["spec"], controller["status"]
    selector = spec.get("selector", {})
    return [
        controller["metadata"].get("name", ""),
        spec.get("replicas", 0),
        status.get("replicas", 0),
        status.get("readyReplicas", 0),
        age(controller),
        *container_cells(spec.get("template") or {}),
        ",".join(f"{name}={selector[name]}" for name in sorted(selector)) or "<none>",
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
