"""Tables of ClusterRoles."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import NAME, CellPrinter, Cells, column


def _cells_of_clusterrole(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO"]


CLUSTER_ROLES_PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Created At", "TODO", cell_type="date"),
    ),
    _cells_of_clusterrole,
)


def _cells_of_role(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO"]


ROLES_PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Created At", "TODO", cell_type="date"),
    ),
    _cells_of_role,
)
