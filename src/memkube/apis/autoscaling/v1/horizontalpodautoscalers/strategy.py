"""What HorizontalPodAutoscalers of the first version add to the generic verbs: the second version's rules."""

from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.time import Time
from memkube.apis.autoscaling.v1.horizontalpodautoscalers.conversion import from_newer, to_newer
from memkube.apis.autoscaling.v1.horizontalpodautoscalers.types import HorizontalPodAutoscaler
from memkube.apis.autoscaling.v2.horizontalpodautoscalers import strategy as newer
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import HorizontalPodAutoscaler as Newer
from memkube.registry.declarations.strategy import FieldPaths, Strategy


class HorizontalPodAutoscalerStrategy(Strategy[HorizontalPodAutoscaler]):
    """Source: ``pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go``."""

    reset_fields: ClassVar[FieldPaths] = newer.HorizontalPodAutoscalerStrategy.reset_fields

    def __init__(self, rules: Strategy[Newer] | None = None) -> None:
        self._rules = rules or newer.HorizontalPodAutoscalerStrategy()

    def default(self, obj: HorizontalPodAutoscaler) -> None:
        """Fields and annotations become what they are when they come from the second version."""
        if obj.spec.minReplicas is None:
            obj.spec.minReplicas = 1
        _become(obj, to_newer(obj))

    def prepare_for_create(self, obj: HorizontalPodAutoscaler, now: Time) -> list[str]:
        """See Strategy."""
        converted = to_newer(obj)
        warnings = self._rules.prepare_for_create(converted, now)
        _become(obj, converted)
        return warnings

    def validate(self, obj: HorizontalPodAutoscaler) -> list[FieldError]:
        """See Strategy."""
        return self._rules.validate(to_newer(obj))

    def prepare_for_update(self, new: HorizontalPodAutoscaler, old: HorizontalPodAutoscaler) -> None:
        """See Strategy."""
        converted = to_newer(new)
        self._rules.prepare_for_update(converted, to_newer(old))
        _become(new, converted)

    def validate_update(self, new: HorizontalPodAutoscaler, old: HorizontalPodAutoscaler) -> list[FieldError]:
        """See Strategy."""
        return self._rules.validate_update(to_newer(new), to_newer(old))


class HorizontalPodAutoscalerStatusStrategy(HorizontalPodAutoscalerStrategy):
    """Writes to ``status``."""

    reset_fields: ClassVar[FieldPaths] = newer.HorizontalPodAutoscalerStatusStrategy.reset_fields

    def __init__(self) -> None:
        super().__init__(newer.HorizontalPodAutoscalerStatusStrategy())


def _become(autoscaler: HorizontalPodAutoscaler, converted: Newer) -> None:
    other = from_newer(converted)
    autoscaler.metadata.annotations = other.metadata.annotations
    autoscaler.spec, autoscaler.status = other.spec, other.status
