from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.admissionregistration.v1.rules.columns import param_kind_cell, param_ref_cell
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _policy_cells(policy: Document) -> Cells:
    count = len(policy["spec"].get("validations") or ())
    return [policy["metadata"].get("name", ""), count, param_kind_cell(policy), age(policy)]


def _binding_cells(binding: Document) -> Cells:
    policy = binding["spec"].get("policyName", "")
    return [binding["metadata"].get("name", ""), policy, param_ref_cell(binding), age(binding)]


POLICIES: Final = CellPrinter(
    (
        NAME,
        column("Validations", "Number of validations.", cell_type="integer"),
        column("ParamKind", "Kind of the parameter objects."),
        AGE,
    ),
    _policy_cells,
)
BINDINGS: Final = CellPrinter(
    (
        NAME,
        column("PolicyName", "Policy that is bound."),
        column("ParamRef", "Parameter objects."),
        AGE,
    ),
    _binding_cells,
)
