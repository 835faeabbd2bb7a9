"""Tables of Roles and ClusterRoles, which are those of kinds that nobody has columns for."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import NAME, CellPrinter, Cells, column


def _cells(role: Document) -> Cells:
    return [role["metadata"].get("name", ""), role["metadata"].get("creationTimestamp")]


PRINTER: Final = CellPrinter((NAME, column("Created At", "When the role was made.", cell_type="date")), _cells)
