"""Tables of ValidatingAdmissionPolicys."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells_of_validatingadmissionpolicy(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", age(obj)]


VALIDATING_ADMISSION_POLICIES_PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Validations", "TODO", cell_type="integer"),
        column("ParamKind", "TODO"),
        AGE,
    ),
    _cells_of_validatingadmissionpolicy,
)


def _cells_of_validatingadmissionpolicybinding(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", "TODO", age(obj)]


VALIDATING_ADMISSION_POLICY_BINDINGS_PRINTER: Final = CellPrinter(
    (
        NAME,
        column("PolicyName", "TODO"),
        column("ParamRef", "TODO"),
        AGE,
    ),
    _cells_of_validatingadmissionpolicybinding,
)
