"""Conversion of Events between events.k8s.io/v1 and core/v1, the version in which they are stored.

Source: ``pkg/apis/events/v1/conversion.go``.
"""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.events.types import Event as CoreEvent
from memkube.apis.core.v1.events.types import EventSeries as CoreEventSeries
from memkube.apis.events.v1.events.types import Event, EventSeries
from memkube.registry.objects.conversion import each

API_VERSION: Final = "events.k8s.io/v1"
_CORE_API_VERSION: Final = "v1"
_SAME: Final = ("kind", "metadata", "eventTime", "reportingInstance", "action", "reason", "related", "type")
_CORE_NAMES: Final = {
    "reportingController": "reportingComponent",
    "regarding": "involvedObject",
    "note": "message",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}


def core_event(event: Event) -> CoreEvent:
    """Convert an Event from events.k8s.io/v1 to core/v1. The result shares nested values with the original."""
    fields = {name: getattr(event, name) for name in _SAME}
    fields |= {core_name: getattr(event, name) for name, core_name in _CORE_NAMES.items()}
    series = event.series
    if series is not None:
        fields["series"] = CoreEventSeries(count=series.count, lastObservedTime=series.lastObservedTime)
    return CoreEvent.model_construct(apiVersion=_CORE_API_VERSION, **fields)


def to_core(document: Document) -> Document:
    """Convert an Event, as a JSON document, from events.k8s.io/v1 to core/v1."""
    return core_event(Event.from_document(document)).to_document()


def from_core(document: Document) -> Document:
    """Convert an Event, as a JSON document, from core/v1 to events.k8s.io/v1."""
    event = CoreEvent.from_document(document)
    fields = {name: getattr(event, name) for name in _SAME}
    fields |= {name: getattr(event, core_name) for name, core_name in _CORE_NAMES.items()}
    series = event.series
    if series is not None:
        fields["series"] = EventSeries(count=series.count, lastObservedTime=series.lastObservedTime)
    return Event.model_construct(apiVersion=API_VERSION, **fields).to_document()


TO_CORE: Final = each(to_core)
FROM_CORE: Final = each(from_core)
