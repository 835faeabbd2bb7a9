from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.container_columns import container_cells, labels_cell
from memkube.registry.declarations.table import NAME, CellPrinter, Cells, column


def _cells(pod_template: Document) -> Cells:
    template = pod_template["template"]
    labels = template.get("metadata", {}).get("labels")
    return [pod_template["metadata"].get("name", ""), *container_cells(template), labels_cell(labels)]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Containers", "Names of the template's containers."),
        column("Images", "Images of the template's containers."),
        column("Pod Labels", "Labels of the pods."),
    ),
    _cells,
)
