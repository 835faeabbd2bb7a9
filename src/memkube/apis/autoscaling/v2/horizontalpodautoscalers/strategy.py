"""TODO."""

from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import HorizontalPodAutoscaler
from memkube.registry.strategy import Strategy


class HorizontalPodAutoscalerStrategy(Strategy[HorizontalPodAutoscaler]):
    """TODO."""


class HorizontalPodAutoscalerStatusStrategy(HorizontalPodAutoscalerStrategy):
    """TODO."""
