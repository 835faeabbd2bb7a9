"""Declaration of events.k8s.io/v1 Events, which are stored as core/v1 Events."""

from typing import Final

from memkube.apis.core.v1.events.resource import RESOURCE as CORE_EVENTS
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, StoredForm

_EVENTS: Final = "memkube.apis.events.v1.events"
_REFERENCE: Final = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
FIELD_LABELS: Final = {f"regarding.{name}": f"involvedObject.{name}" for name in _REFERENCE} | {
    "reportingController": "reportingComponent",
    "reason": "reason",
    "type": "type",
    "metadata.namespace": "metadata.namespace",
    "metadata.name": "metadata.name",
}
"""Selectable fields of events.k8s.io/v1 Events, with their names in core/v1."""

RESOURCE = Resource(
    group="events.k8s.io",
    version="v1",
    kind="Event",
    plural="events",
    singular="event",
    short_names=("ev",),
    model=Lazy(f"{_EVENTS}.types:Event"),
    strategy=Lazy(f"{_EVENTS}.strategy:EventStrategy()"),
    printer=Lazy(f"{_EVENTS}.columns:PRINTER"),
    selectable_fields=Lazy(f"{_EVENTS}.columns:selectable_fields"),
    selectable_labels=frozenset(FIELD_LABELS),
    unsupported_field_label=lambda label: f"field label not supported: {label}",
    watch_cached=False,
    stored_form=StoredForm(
        CORE_EVENTS,
        to_stored=Lazy(f"{_EVENTS}.conversion:TO_CORE"),
        from_stored=Lazy(f"{_EVENTS}.conversion:FROM_CORE"),
    ),
)
