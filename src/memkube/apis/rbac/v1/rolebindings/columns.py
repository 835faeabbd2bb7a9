from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(binding: Document) -> Cells:
    role, subjects = binding["roleRef"], binding.get("subjects") or []
    return [
        binding["metadata"].get("name", ""),
        f"{role['kind']}/{role['name']}",
        age(binding),
        ", ".join(subject["name"] for subject in subjects if subject["kind"] == "User"),
        ", ".join(subject["name"] for subject in subjects if subject["kind"] == "Group"),
        ", ".join(
            f"{subject.get('namespace', '')}/{subject['name']}"
            for subject in subjects
            if subject["kind"] == "ServiceAccount"
        ),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Role", "Role that is bound."),
        AGE,
        column("Users", "Users who have the role.", wide=True),
        column("Groups", "Groups that have the role.", wide=True),
        column("ServiceAccounts", "Service accounts that have the role, as namespace/name.", wide=True),
    ),
    _cells,
)
