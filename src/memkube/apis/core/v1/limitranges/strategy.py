"""What LimitRanges add to the generic verbs."""

from typing import ClassVar
from uuid import uuid4

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.limitranges.types import LimitRange
from memkube.apis.core.v1.limitranges.validation import default_limit_range, validate_limit_range
from memkube.registry.declarations.strategy import Strategy


class LimitRangeStrategy(Strategy[LimitRange]):
    """Source: ``pkg/registry/core/limitrange/strategy.go``."""

    allow_create_on_update: ClassVar[bool] = True

    def default(self, obj: LimitRange) -> None:
        """See Strategy."""
        default_limit_range(obj)

    def prepare_for_create(self, obj: LimitRange, now: Time) -> list[str]:
        """One without a name gets one."""
        obj.metadata.name = obj.metadata.name or str(uuid4())
        return []

    def validate(self, obj: LimitRange) -> list[FieldError]:
        """See Strategy."""
        return validate_limit_range(obj)

    def validate_update(self, new: LimitRange, old: LimitRange) -> list[FieldError]:
        """A changed LimitRange is checked as a new one is."""
        return validate_limit_range(new)
