"""Strategy of events.k8s.io/v1 Events, with stricter rules than core/v1."""

from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError
from memkube.apis.core.v1.events.strategy import validate_event_update_strictly, validate_new_event_strictly
from memkube.apis.events.v1.events.conversion import core_event
from memkube.apis.events.v1.events.types import Event
from memkube.registry.declarations.strategy import GarbageCollection, Strategy


class EventStrategy(Strategy[Event]):
    """Strategy for creating and updating Events of events.k8s.io/v1 (``pkg/registry/core/event/strategy.go``)."""

    allow_create_on_update: ClassVar[bool] = True
    garbage_collection: ClassVar[GarbageCollection] = "unsupported"

    def validate(self, obj: Event) -> list[FieldError]:
        return validate_new_event_strictly(core_event(obj))

    def validate_update(self, new: Event, old: Event) -> list[FieldError]:
        return validate_event_update_strictly(core_event(new), core_event(old))
