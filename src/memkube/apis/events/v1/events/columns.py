"""Table columns and selectable fields of events.k8s.io/v1 Events. Both are the same as in core/v1."""

from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.events.columns import PRINTER as CORE_PRINTER
from memkube.apis.core.v1.events.resource import selectable_fields as core_fields
from memkube.apis.events.v1.events.conversion import to_core
from memkube.apis.events.v1.events.resource import FIELD_LABELS
from memkube.registry.declarations.table import CellPrinter, Cells


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the values of an Event that field selectors can use, by field path of events.k8s.io/v1."""
    fields = core_fields(to_core(document))
    return {label: fields[core_label] for label, core_label in FIELD_LABELS.items()}


def _cells(event: Document) -> Cells:
    return list(CORE_PRINTER.cells(to_core(event)))


PRINTER: Final = CellPrinter(CORE_PRINTER.columns, _cells)
