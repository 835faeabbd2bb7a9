"""Events of events.k8s.io: another form of those of the core group, kept with them."""

from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.events.columns import PRINTER
from memkube.apis.core.v1.events.resource import RESOURCE as CORE_EVENTS
from memkube.apis.core.v1.events.resource import selectable_fields as core_fields
from memkube.apis.events.v1.events.conversion import from_core, to_core
from memkube.apis.events.v1.events.strategy import EventStrategy
from memkube.apis.events.v1.events.types import Event
from memkube.registry.resource import Resource, StoredForm
from memkube.registry.table import CellPrinter, Cells

_REFERENCE: Final = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_LABELS: Final = {f"regarding.{name}": f"involvedObject.{name}" for name in _REFERENCE} | {
    "reportingController": "reportingComponent",
    "reason": "reason",
    "type": "type",
    "metadata.namespace": "metadata.namespace",
    "metadata.name": "metadata.name",
}


def selectable_fields(document: Document) -> Mapping[str, str]:
    """The fields that events can be selected by, under their names in this form."""
    fields = core_fields(to_core(document))
    return {label: fields[core_label] for label, core_label in _LABELS.items()}


def _cells(event: Document) -> Cells:
    return list(PRINTER.cells(to_core(event)))


RESOURCE = Resource(
    group="events.k8s.io",
    version="v1",
    kind="Event",
    plural="events",
    singular="event",
    short_names=("ev",),
    model=Event,
    strategy=EventStrategy(),
    printer=CellPrinter(PRINTER.columns, _cells),
    selectable_fields=selectable_fields,
    selectable_labels=frozenset(_LABELS),
    unsupported_field_label=lambda label: f"field label not supported: {label}",
    stored_form=StoredForm(CORE_EVENTS, to_stored=to_core, from_stored=from_core),
)
