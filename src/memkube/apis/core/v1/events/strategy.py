"""Validation rules and strategy of Events (``pkg/apis/core/validation/events.go``).

As in kube-apiserver, the legacy rules apply to Events of both API versions, and the strict rules only to Events of
events.k8s.io/v1. Such Events are converted to core/v1 before validation, and error messages use the field names of
core/v1.
"""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required
from memkube.apimachinery.meta.validation.object_meta import validate_immutable
from memkube.apimachinery.names import is_dns1123_subdomain, is_qualified_name, subdomain_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.core.v1.events.types import Event
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.registry.declarations.strategy import GarbageCollection, Strategy

_INVOLVED_NAMESPACE: Final = FieldPath("involvedObject").child("namespace")
_LIMITS: Final = (("reportingInstance", 128), ("action", 128), ("reason", 128))
_NOTE_LIMIT: Final = 1024
_FIXED_BEFORE_TIME: Final = (
    "involvedObject", "reason", "message", "source", "firstTimestamp", "lastTimestamp", "count", "reason", "type",
    "eventTime", "action", "related",
)  # fmt: skip


def validate_event(event: Event, reporter: str = "reportingComponent") -> list[FieldError]:
    """Validate an Event by the legacy rules, which apply to both API versions.

    `reporter` is the name of the field `reportingComponent` in error messages.
    """
    errors = _validate_reported(event, reporter) if event.eventTime is not None else _validate_undated(event)
    namespace = event.metadata.namespace
    return errors + [invalid("namespace", namespace, error) for error in is_dns1123_subdomain(namespace)]


def validate_new_event_strictly(event: Event) -> list[FieldError]:
    """Validate a new event of events.k8s.io/v1 by the strict rules.

    It must have `eventTime` and a known type, and must not set deprecated fields.
    """
    errors = validate_event(event, "reportingController")
    errors += validate_metadata(event.metadata, subdomain_name, namespaced=True)
    errors += _validate_series(event)
    if event.eventTime is None:
        errors.append(required("eventTime"))
    if event.type not in ("Normal", "Warning"):
        errors.append(invalid("type", "", f"has invalid value: {event.type}"))
    replaced = {
        "firstTimestamp": event.firstTimestamp is not None,
        "lastTimestamp": event.lastTimestamp is not None,
        "count": event.count != 0,
        "source": bool(event.source.component or event.source.host),
    }
    return errors + [invalid(name, "", "needs to be unset") for name, is_set in replaced.items() if is_set]


def validate_event_update_strictly(new: Event, old: Event) -> list[FieldError]:
    """Validate an update of an event of events.k8s.io/v1: only the series and the metadata may change."""
    errors = validate_event(new, "reportingController")
    errors += validate_metadata_update(new.metadata, old.metadata)
    if new.series != old.series:
        errors += _validate_series(new)
    for name in _FIXED_BEFORE_TIME:
        errors += _validate_fixed(new, old, name)
    errors += validate_immutable(new.reportingComponent, old.reportingComponent, FieldPath("reportingController"))
    return errors + _validate_fixed(new, old, "reportingInstance")


def _validate_fixed(new: Event, old: Event, name: str) -> list[FieldError]:
    before, after = getattr(old, name), getattr(new, name)
    return [] if after == before else [invalid(name, InternalValue(after), "field is immutable")]


def _validate_undated(event: Event) -> list[FieldError]:
    """Validate an Event without `eventTime`: its namespace must be that of the involved object."""
    own, involved = event.metadata.namespace, event.involvedObject.namespace
    if own == involved or (not involved and own in ("", "default")):
        return []
    return [invalid(_INVOLVED_NAMESPACE, involved, "does not match event.namespace")]


def _validate_reported(event: Event, reporter: str) -> list[FieldError]:
    """Validate an Event with `eventTime`.

    Reporting component, reporting instance, action and reason must be set, and must not be too long. `reporter` is the
    name of the field `reportingComponent` in error messages.
    """
    errors: list[FieldError] = []
    if not event.involvedObject.namespace and event.metadata.namespace not in ("default", "kube-system"):
        errors.append(invalid(_INVOLVED_NAMESPACE, "", "does not match event.namespace"))
    if not event.reportingComponent:
        errors.append(required(reporter))
    errors += [invalid(reporter, event.reportingComponent, e) for e in is_qualified_name(event.reportingComponent)]
    for name, limit in _LIMITS:
        text: str = getattr(event, name)
        if not text:
            errors.append(required(name))
        errors += _validate_length(name, text, limit)
    return errors + _validate_length("message", event.message, _NOTE_LIMIT)


def _validate_length(name: str, text: str, limit: int) -> list[FieldError]:
    return [invalid(name, "", f"can have at most {limit} characters")] if len(text.encode()) > limit else []


def _validate_series(event: Event) -> list[FieldError]:
    series = event.series
    if series is None:
        return []
    errors: list[FieldError] = []
    if series.count < 2:
        errors.append(invalid("series.count", "", "should be at least 2"))
    if series.lastObservedTime is None:
        errors.append(required("series.lastObservedTime"))
    return errors


class EventStrategy(Strategy[Event]):
    """Validates Events of core/v1 that clients create and update, by the legacy rules. A PUT can create an Event.

    Source: ``pkg/registry/core/event/strategy.go``.
    """

    allow_create_on_update: ClassVar[bool] = True
    garbage_collection: ClassVar[GarbageCollection] = "unsupported"

    validate = staticmethod(validate_event)

    def validate_update(self, new: Event, old: Event) -> list[FieldError]:
        return validate_event(new)
