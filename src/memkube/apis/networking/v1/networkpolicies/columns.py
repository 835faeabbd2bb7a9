from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.container_columns import selector_cell
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(policy: Document) -> Cells:
    return [policy["metadata"].get("name", ""), selector_cell(policy["spec"].get("podSelector")), age(policy)]


PRINTER: Final = CellPrinter((NAME, column("Pod-Selector", "Pods that the policy applies to."), AGE), _cells)
