"""HorizontalPodAutoscalers: scale a workload by metrics."""

from typing import Final

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, status_subresource

_HERE: Final = "memkube.apis.autoscaling.v2.horizontalpodautoscalers"
METRICS: Final = "autoscaling.alpha.kubernetes.io/metrics"
CURRENT_METRICS: Final = "autoscaling.alpha.kubernetes.io/current-metrics"
CONDITIONS: Final = "autoscaling.alpha.kubernetes.io/conditions"
BEHAVIOR: Final = "autoscaling.alpha.kubernetes.io/behavior"
ROUND_TRIP: Final = frozenset(
    {
        METRICS,
        CURRENT_METRICS,
        CONDITIONS,
        BEHAVIOR,
        "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
        "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
    }
)
"""Annotations of autoscaling/v1 for fields that it does not have."""

RESOURCE = Resource(
    group="autoscaling",
    version="v2",
    kind="HorizontalPodAutoscaler",
    plural="horizontalpodautoscalers",
    singular="horizontalpodautoscaler",
    short_names=("hpa",),
    categories=("all",),
    model=Lazy(f"{_HERE}.types:HorizontalPodAutoscaler"),
    strategy=Lazy(f"{_HERE}.strategy:HorizontalPodAutoscalerStrategy()"),
    printer=Lazy(f"{_HERE}.columns:PRINTER"),
    other_versions={"autoscaling/v1": Lazy("memkube.apis.autoscaling.v1.horizontalpodautoscalers.conversion:OLDER")},
    subresources=(status_subresource(Lazy(f"{_HERE}.strategy:HorizontalPodAutoscalerStatusStrategy()")),),
)
