"""Table columns shared by kinds with a pod template, and table printers of ReplicaSets and ReplicationControllers."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from memkube.apimachinery import labels
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column

CONTAINER_COLUMNS: Final = (
    column("Containers", "Names of the template's containers.", wide=True),
    column("Images", "Images of the template's containers.", wide=True),
)
SELECTOR_COLUMN: Final = column("Selector", "Label selector of the pods.", wide=True)


def container_cells(template: Document) -> Cells:
    """Return the table cells Containers and Images for the pod template `template`."""
    containers = template.get("spec", {}).get("containers") or []
    names = ",".join(container["name"] for container in containers)
    return [names, ",".join(container.get("image", "") for container in containers)]


def labels_cell(labels: Mapping[str, str] | None) -> str:
    """Return labels as ``key=value`` pairs separated by commas; ``<none>`` without labels."""
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or "<none>"


def selector_cell(selector: Document | None) -> str:
    """Return a selector as text such as ``app=web``; ``<none>`` if it is empty or missing, ``<error>`` if invalid."""
    if not selector:
        return "<none>"
    try:
        return str(labels.from_model(LabelSelector.from_document(selector))) or "<none>"
    except ValueError:
        return "<error>"


def replicas_printer(selector_text: Callable[[Any], str]) -> CellPrinter:
    """Return the table printer of ReplicaSets or ReplicationControllers.

    The function `selector_text` gets the field ``spec.selector`` of an object, and returns it as text.
    """

    def cells(document: Document) -> Cells:
        spec, status = document["spec"], document["status"]
        return [
            document["metadata"].get("name", ""),
            spec.get("replicas", 0),
            status.get("replicas", 0),
            status.get("readyReplicas", 0),
            age(document),
            *container_cells(spec.get("template") or {}),
            selector_text(spec.get("selector")),
        ]

    columns = (
        NAME,
        column("Desired", "Desired number of pods.", cell_type="integer"),
        column("Current", "Number of pods.", cell_type="integer"),
        column("Ready", "Number of ready pods.", cell_type="integer"),
        AGE,
        *CONTAINER_COLUMNS,
        SELECTOR_COLUMN,
    )
    return CellPrinter(columns, cells)


SELECTED_REPLICAS: Final = replicas_printer(selector_cell)
"""Table printer of ReplicaSets, with the label selector as a column."""
