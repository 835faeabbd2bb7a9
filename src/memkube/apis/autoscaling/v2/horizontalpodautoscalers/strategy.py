from typing import ClassVar

from memkube.apimachinery.time import Time
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.defaults import default_autoscaler
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import (
    HorizontalPodAutoscaler,
    HorizontalPodAutoscalerStatus,
)
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.validation import (
    validate_autoscaler,
    validate_autoscaler_status_update,
    validate_autoscaler_update,
)
from memkube.registry.declarations.strategy import FieldPaths, StatusStrategy, Strategy


class HorizontalPodAutoscalerStrategy(Strategy[HorizontalPodAutoscaler]):
    """Sets the defaults of HorizontalPodAutoscalers, validates them, and keeps clients from writing their status.

    HorizontalPodAutoscalers have no ``metadata.generation``. Source:
    ``pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go``.
    """

    reset_fields: ClassVar[FieldPaths] = (("status",),)

    default = staticmethod(default_autoscaler)
    validate = staticmethod(validate_autoscaler)
    validate_update = staticmethod(validate_autoscaler_update)

    def prepare_for_create(self, obj: HorizontalPodAutoscaler, now: Time) -> list[str]:
        """Clear the status of a new HorizontalPodAutoscaler."""
        obj.status = HorizontalPodAutoscalerStatus()
        return []

    def prepare_for_update(self, new: HorizontalPodAutoscaler, old: HorizontalPodAutoscaler) -> None:
        """Discard an update's changes to ``status``, which only the ``status`` subresource may write."""
        new.status = old.status


class HorizontalPodAutoscalerStatusStrategy(StatusStrategy[HorizontalPodAutoscaler], HorizontalPodAutoscalerStrategy):
    """Strategy for writing the ``status`` subresource of HorizontalPodAutoscalers, which cannot change the spec."""

    validate_update = staticmethod(validate_autoscaler_status_update)
