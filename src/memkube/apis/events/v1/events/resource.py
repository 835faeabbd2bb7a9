"""Declaration of events.k8s.io/v1 Events, which are stored as core/v1 Events."""

from typing import Final

from memkube.apis.core.v1.events.resource import RESOURCE as CORE_EVENTS
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import (
    NOT_SUPPORTED,
    FieldSelection,
    ListForm,
    Resource,
    StorageForm,
    StoredForm,
)

lazy = LazyPackage(__package__)

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
    short_names=("ev",),
    model=lazy("types:Event"),
    strategy=lazy("strategy:EventStrategy()"),
    printer=lazy("columns:PRINTER"),
    fields=FieldSelection(lazy("columns:selectable_fields"), frozenset(FIELD_LABELS), NOT_SUPPORTED),
    lists=ListForm(watch_cached=False),
    stored=StorageForm(
        StoredForm(
            CORE_EVENTS,
            to_stored=lazy("conversion:TO_CORE"),
            from_stored=lazy("conversion:FROM_CORE"),
            is_lossless=True,
        )
    ),
)
