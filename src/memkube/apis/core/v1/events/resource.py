"""Events: reports of what happened to objects."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, metadata_fields

_REFERENCE: Final = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
SELECTABLE: Final = frozenset(
    {
        *(f"involvedObject.{name}" for name in _REFERENCE),
        "reason",
        "reportingComponent",
        "source",
        "type",
        "metadata.namespace",
        "metadata.name",
    }
)


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the fields that field selectors of Events can use. `source` falls back to `reportingComponent`."""
    involved = document["involvedObject"]
    reporter = document.get("reportingComponent", "")
    return {
        **{f"involvedObject.{name}": involved.get(name, "") for name in _REFERENCE},
        "reason": document.get("reason", ""),
        "reportingComponent": reporter,
        "source": document["source"].get("component") or reporter,
        "type": document.get("type", ""),
        **metadata_fields(document),
    }


RESOURCE = Resource(
    group="",
    version="v1",
    kind="Event",
    plural="events",
    singular="event",
    short_names=("ev",),
    model=Lazy("memkube.apis.core.v1.events.types:Event"),
    strategy=Lazy("memkube.apis.core.v1.events.strategy:EventStrategy()"),
    printer=Lazy("memkube.apis.core.v1.events.columns:PRINTER"),
    selectable_fields=selectable_fields,
    selectable_labels=SELECTABLE,
    unsupported_field_label=lambda label: f"field label not supported: {label}",
    watch_cached=False,
    time_to_live=timedelta(hours=1),
)
