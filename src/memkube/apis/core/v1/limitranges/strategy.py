from typing import ClassVar
from uuid import uuid4

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.limitranges.types import LimitRange
from memkube.apis.core.v1.limitranges.validation import default_limit_range, validate_limit_range
from memkube.registry.declarations.strategy import Strategy


class LimitRangeStrategy(Strategy[LimitRange]):
    """Defaults and validates LimitRanges that clients create and update, and names new ones that have no name.

    Source: ``pkg/registry/core/limitrange/strategy.go``.
    """

    allow_create_on_update: ClassVar[bool] = True

    default = staticmethod(default_limit_range)
    validate = staticmethod(validate_limit_range)

    def prepare_for_create(self, obj: LimitRange, now: Time) -> list[str]:
        """Generate a name for a new LimitRange that has none."""
        obj.metadata.name = obj.metadata.name or str(uuid4())
        return []

    def validate_update(self, new: LimitRange, old: LimitRange) -> list[FieldError]:
        """Validate an updated LimitRange by the rules for new LimitRanges, unless it is unchanged."""
        return validate_limit_range(new)
