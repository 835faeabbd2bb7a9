"""What events add to the generic verbs."""

from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError
from memkube.apis.core.v1.events.types import Event
from memkube.apis.core.v1.events.validation import validate_event
from memkube.registry.strategy import GarbageCollection, Strategy


class EventStrategy(Strategy[Event]):
    """Source: ``pkg/registry/core/event/strategy.go``."""

    allow_create_on_update: ClassVar[bool] = True
    garbage_collection: ClassVar[GarbageCollection] = "unsupported"

    def validate(self, obj: Event) -> list[FieldError]:
        """See Strategy."""
        return validate_event(obj)

    def validate_update(self, new: Event, old: Event) -> list[FieldError]:
        """See Strategy."""
        return validate_event(new)
