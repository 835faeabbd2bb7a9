from typing import Any, Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _controller(revision: Document) -> str:
    """Return the owner that controls a ControllerRevision, as ``kind.group/name``."""
    references: list[dict[str, Any]] = revision["metadata"].get("ownerReferences") or []
    found = next((reference for reference in references if reference.get("controller")), None)
    if found is None:
        return "<none>"
    group, slash, _ = found["apiVersion"].partition("/")
    kind = found["kind"].lower()
    return f"{kind}.{group}/{found['name']}" if slash else f"{kind}/{found['name']}"


def _cells(revision: Document) -> Cells:
    return [revision["metadata"].get("name", ""), _controller(revision), revision["revision"], age(revision)]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Controller", "Controller that owns the revision."),
        column("Revision", "Revision number."),
        AGE,
    ),
    _cells,
)
