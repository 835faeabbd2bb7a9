"""Rules for writing Events of events.k8s.io/v1, which are stricter than those for core/v1."""

from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError
from memkube.apis.core.v1.events.strategy import validate_event_update_strictly, validate_new_event_strictly
from memkube.apis.events.v1.events.conversion import core_event
from memkube.apis.events.v1.events.types import Event
from memkube.registry.declarations.strategy import GarbageCollection, Strategy


class EventStrategy(Strategy[Event]):
    """Validates an events.k8s.io/v1 Event in its core/v1 form, by the strict rules for events.k8s.io.

    A PUT may create an Event. Source: ``pkg/registry/core/event/strategy.go``.
    """

    allow_create_on_update: ClassVar[bool] = True
    garbage_collection: ClassVar[GarbageCollection] = "unsupported"

    def validate(self, obj: Event) -> list[FieldError]:
        return validate_new_event_strictly(core_event(obj))

    def validate_update(self, new: Event, old: Event) -> list[FieldError]:
        return validate_event_update_strictly(core_event(new), core_event(old))
