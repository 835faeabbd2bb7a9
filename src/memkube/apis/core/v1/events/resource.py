from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import (
    NOT_SUPPORTED,
    FieldSelection,
    ListForm,
    Resource,
    StorageForm,
    metadata_fields,
)

lazy = LazyPackage(__package__)

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
    """Return the values of an Event that field selectors can use, by field path.

    The value of `source` is the source component, or the reporting component if the source component is empty.
    """
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
    short_names=("ev",),
    model=lazy("types:Event"),
    strategy=lazy("strategy:EventStrategy()"),
    printer=lazy("columns:PRINTER"),
    fields=FieldSelection(selectable_fields, SELECTABLE, NOT_SUPPORTED),
    lists=ListForm(watch_cached=False),
    stored=StorageForm(time_to_live=timedelta(hours=1)),
)
