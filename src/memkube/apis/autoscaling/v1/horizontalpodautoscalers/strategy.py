"""Strategy of HorizontalPodAutoscalers of autoscaling/v1, which applies the rules of v2."""

from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.time import Time
from memkube.apis.autoscaling.v1.horizontalpodautoscalers.conversion import from_newer, to_newer
from memkube.apis.autoscaling.v1.horizontalpodautoscalers.types import HorizontalPodAutoscaler
from memkube.apis.autoscaling.v2.horizontalpodautoscalers import strategy as newer
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import HorizontalPodAutoscaler as Newer
from memkube.registry.declarations.strategy import FieldPaths, Strategy


class HorizontalPodAutoscalerStrategy(Strategy[HorizontalPodAutoscaler]):
    """Converts HorizontalPodAutoscalers of autoscaling/v1 to v2, and applies the rules for writing v2 objects to them.

    Source: ``pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go``.
    """

    reset_fields: ClassVar[FieldPaths] = newer.HorizontalPodAutoscalerStrategy.reset_fields

    def __init__(self, rules: Strategy[Newer] | None = None) -> None:
        self._rules = rules or newer.HorizontalPodAutoscalerStrategy()

    def default(self, obj: HorizontalPodAutoscaler) -> None:
        """Set defaults, and rewrite the annotations as kube-apiserver's conversion to v2 and back to v1 does."""
        if obj.spec.minReplicas is None:
            obj.spec.minReplicas = 1
        _assign_from_v2(obj, to_newer(obj))

    def prepare_for_create(self, obj: HorizontalPodAutoscaler, now: Time) -> list[str]:
        converted = to_newer(obj)
        warnings = self._rules.prepare_for_create(converted, now)
        _assign_from_v2(obj, converted)
        return warnings

    def validate(self, obj: HorizontalPodAutoscaler) -> list[FieldError]:
        return self._rules.validate(to_newer(obj))

    def prepare_for_update(self, new: HorizontalPodAutoscaler, old: HorizontalPodAutoscaler) -> None:
        converted = to_newer(new)
        self._rules.prepare_for_update(converted, to_newer(old))
        _assign_from_v2(new, converted)

    def validate_update(self, new: HorizontalPodAutoscaler, old: HorizontalPodAutoscaler) -> list[FieldError]:
        return self._rules.validate_update(to_newer(new), to_newer(old))


class HorizontalPodAutoscalerStatusStrategy(HorizontalPodAutoscalerStrategy):
    """Strategy for writing the ``status`` subresource of HorizontalPodAutoscalers, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = newer.HorizontalPodAutoscalerStatusStrategy.reset_fields

    def __init__(self) -> None:
        super().__init__(newer.HorizontalPodAutoscalerStatusStrategy())


def _assign_from_v2(autoscaler: HorizontalPodAutoscaler, converted: Newer) -> None:
    other = from_newer(converted)
    autoscaler.metadata.annotations = other.metadata.annotations
    autoscaler.spec, autoscaler.status = other.spec, other.status
