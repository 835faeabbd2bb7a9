"""TODO."""

from memkube.apis.autoscaling.v1.horizontalpodautoscalers.types import HorizontalPodAutoscaler
from memkube.registry.strategy import Strategy


class HorizontalPodAutoscalerStrategy(Strategy[HorizontalPodAutoscaler]):
    """TODO."""


class HorizontalPodAutoscalerStatusStrategy(HorizontalPodAutoscalerStrategy):
    """TODO."""
