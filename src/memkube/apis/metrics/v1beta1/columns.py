"""Table columns of NodeMetrics and PodMetrics (metrics-server ``pkg/api/table.go``)."""

from collections.abc import Iterable
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.registry.declarations.table import CellPrinter, Cells, column, name_column

_RESOURCES: Final = ("cpu", "memory")
_COLUMNS: Final = (
    name_column(),
    *(column(name, f"Amount of {name} in use.") for name in _RESOURCES),
    column("Window", "Length of the interval in which the use was measured."),
)


def _cells(metrics: Document, usages: Iterable[dict[str, str]]) -> Cells:
    totals = {name: Quantity("0") for name in _RESOURCES}
    for usage in usages:
        for name in _RESOURCES:
            totals[name] = totals[name].plus(Quantity(usage.get(name, "0")))
    return [metrics["metadata"]["name"], *totals.values(), metrics["window"]]


NODES: Final = CellPrinter(_COLUMNS, lambda metrics: _cells(metrics, [metrics["usage"]]))
PODS: Final = CellPrinter(_COLUMNS, lambda metrics: _cells(metrics, (each["usage"] for each in metrics["containers"])))
