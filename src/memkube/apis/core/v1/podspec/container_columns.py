"""Columns of tables about kinds with a template of pods."""

from typing import Final

from memkube.apimachinery import labels
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import Document
from memkube.registry.table import Cells, column

CONTAINER_COLUMNS: Final = (
    column("Containers", "Names of the template's containers.", wide=True),
    column("Images", "Images of the template's containers.", wide=True),
)


def container_cells(template: Document) -> Cells:
    """The cells of these columns."""
    containers = template.get("spec", {}).get("containers") or []
    names = ",".join(container["name"] for container in containers)
    return [names, ",".join(container.get("image", "") for container in containers)]


def selector_cell(selector: Document | None) -> str:
    """A selector as a query says it, ``<none>`` where it selects everything or nothing."""
    if not selector:
        return "<none>"
    try:
        return str(labels.from_model(LabelSelector.from_document(selector))) or "<none>"
    except ValueError:
        return "<error>"
