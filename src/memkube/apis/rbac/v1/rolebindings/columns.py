"""Tables of ClusterRoleBindings."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells_of_clusterrolebinding(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", age(obj), "TODO", "TODO", "TODO"]


CLUSTER_ROLE_BINDINGS_PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Role", "TODO"),
        AGE,
        column("Users", "TODO", wide=True),
        column("Groups", "TODO", wide=True),
        column("ServiceAccounts", "TODO", wide=True),
    ),
    _cells_of_clusterrolebinding,
)


def _cells_of_rolebinding(obj: Document) -> Cells:
    return [obj["metadata"].get("name", ""), "TODO", age(obj), "TODO", "TODO", "TODO"]


ROLE_BINDINGS_PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Role", "TODO"),
        AGE,
        column("Users", "TODO", wide=True),
        column("Groups", "TODO", wide=True),
        column("ServiceAccounts", "TODO", wide=True),
    ),
    _cells_of_rolebinding,
)
