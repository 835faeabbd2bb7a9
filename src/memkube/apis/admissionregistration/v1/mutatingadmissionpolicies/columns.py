"""Table columns of MutatingAdmissionPolicies. Bindings use the columns of ValidatingAdmissionPolicyBindings."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.admissionregistration.v1.rules.columns import param_kind_cell
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(policy: Document) -> Cells:
    count = len(policy["spec"].get("mutations") or ())
    return [policy["metadata"].get("name", ""), count, param_kind_cell(policy), age(policy)]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Mutations", "Number of mutations.", cell_type="integer"),
        column("ParamKind", "Kind of the parameter objects."),
        AGE,
    ),
    _cells,
)
