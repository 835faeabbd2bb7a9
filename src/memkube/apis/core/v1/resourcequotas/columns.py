from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(quota: Document) -> Cells:
    status = quota["status"]
    hard, used = status.get("hard") or {}, status.get("used") or {}
    parts = {name: f"{name}: {used.get(name, '0')}/{hard[name]}" for name in sorted(hard)}
    limits = [part for name, part in parts.items() if name.startswith("limits.")]
    requests = [part for name, part in parts.items() if not name.startswith("limits.")]
    return [quota["metadata"].get("name", ""), ", ".join(requests), ", ".join(limits), age(quota)]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Request", "Used and hard requests of each resource."),
        column("Limit", "Used and hard limits of each resource."),
        AGE,
    ),
    _cells,
)
