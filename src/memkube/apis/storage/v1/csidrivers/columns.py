"""Table columns of CSIDrivers."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(driver: Document) -> Cells:
    spec = driver["spec"]
    tokens = spec.get("tokenRequests")
    return [
        driver["metadata"].get("name", ""),
        spec.get("attachRequired", True),
        spec.get("podInfoOnMount", False),
        spec.get("storageCapacity", False),
        ",".join(token["audience"] for token in tokens) if tokens else "<unset>",
        spec.get("requiresRepublish", False),
        ",".join(spec.get("volumeLifecycleModes") or ()) or "<none>",
        age(driver),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("AttachRequired", "Whether volumes have to be attached first.", cell_type="boolean"),
        column("PodInfoOnMount", "Whether the driver is told about the pod.", cell_type="boolean"),
        column("StorageCapacity", "Whether scheduling looks at the storage that is left.", cell_type="boolean"),
        column("TokenRequests", "Audiences of the tokens that the driver is given."),
        column("RequiresRepublish", "Whether the driver is asked again and again.", cell_type="boolean"),
        column("Modes", "How long volumes of the driver live."),
        AGE,
    ),
    _cells,
)
