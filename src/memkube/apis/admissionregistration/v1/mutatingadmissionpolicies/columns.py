"""Tables of MutatingAdmissionPolicys."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells_of_mutatingadmissionpolicy(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", age(obj)]


MUTATING_ADMISSION_POLICIES_PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Mutations", "TODO", cell_type="integer"),
        column("ParamKind", "TODO"),
        AGE,
    ),
    _cells_of_mutatingadmissionpolicy,
)


def _cells_of_mutatingadmissionpolicybinding(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", age(obj)]


MUTATING_ADMISSION_POLICY_BINDINGS_PRINTER: Final = CellPrinter(
    (
        NAME,
        column("PolicyName", "TODO"),
        column("ParamRef", "TODO"),
        AGE,
    ),
    _cells_of_mutatingadmissionpolicybinding,
)
