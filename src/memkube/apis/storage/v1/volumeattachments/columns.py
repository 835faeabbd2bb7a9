from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, Column, age, column


def _cells(attachment: Document) -> Cells:
    spec = attachment["spec"]
    return [
        attachment["metadata"].get("name", ""),
        spec["attacher"],
        spec["source"].get("persistentVolumeName", ""),
        spec["nodeName"],
        attachment["status"]["attached"],
        age(attachment),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        Column(name="Attacher", type="string", format="name", description="CSI driver that attaches the volume."),
        column("PV", "Volume to attach."),
        column("Node", "Node to attach the volume to."),
        column("Attached", "Whether the volume is attached.", cell_type="boolean"),
        AGE,
    ),
    _cells,
)
