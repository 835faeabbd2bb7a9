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
        column("AttachRequired", "Whether volumes must be attached before they are mounted.", cell_type="boolean"),
        column("PodInfoOnMount", "Whether the driver requires pod information on mount.", cell_type="boolean"),
        column("StorageCapacity", "Whether the scheduler considers storage capacity.", cell_type="boolean"),
        column("TokenRequests", "Audiences of the tokens passed to the driver."),
        column("RequiresRepublish", "Whether NodePublishVolume is called periodically.", cell_type="boolean"),
        column("Modes", "Volume lifecycle modes of the driver."),
        AGE,
    ),
    _cells,
)
