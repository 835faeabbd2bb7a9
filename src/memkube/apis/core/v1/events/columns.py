from typing import Any, Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import CellPrinter, Cells, Elapsed, column, name_column


def _cells(event: Document) -> Cells:
    first = Elapsed(event.get("firstTimestamp") or event.get("eventTime"))
    last = Elapsed(event["lastTimestamp"]) if event.get("lastTimestamp") else first
    count = event.get("count") or 1
    if (series := event.get("series")) is not None:
        last, count = Elapsed(series.get("lastObservedTime")), series.get("count", 0)
    involved = event["involvedObject"]
    return [
        last,
        event.get("type", ""),
        event.get("reason", ""),
        _target(involved),
        involved.get("fieldPath", ""),
        _source(event),
        event.get("message", "").strip(),
        first,
        count,
        event["metadata"].get("name", ""),
    ]


def _target(involved: dict[str, Any]) -> str:
    kind, name = involved.get("kind", "").lower(), involved.get("name", "")
    return f"{kind}/{name}" if name else kind


def _source(event: Document) -> str:
    source = event.get("source") or {}
    component = source.get("component") or event.get("reportingComponent", "")
    instance = source.get("host") or event.get("reportingInstance", "")
    return f"{component}, {instance}" if instance else component


PRINTER: Final = CellPrinter(
    (
        column("Last Seen", "Time since the last occurrence."),
        column("Type", "Normal or Warning."),
        column("Reason", "Reason for the event, as one CamelCase word."),
        column("Object", "Kind and name of the object that the event is about."),
        column("Subobject", "Part of the object that the event is about.", wide=True),
        column("Source", "Component and host that reported the event.", wide=True),
        column("Message", "Human-readable description of what happened."),
        column("First Seen", "Time since the first occurrence.", wide=True),
        column("Count", "Number of occurrences.", wide=True),
        name_column(wide=True),
    ),
    _cells,
)
