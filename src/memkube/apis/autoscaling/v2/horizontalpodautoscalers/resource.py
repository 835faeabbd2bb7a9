from typing import Final

from memkube.registry.declarations.lazy import Lazy, LazyPackage
from memkube.registry.declarations.resource import Resource, status_subresource

lazy = LazyPackage(__package__)

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
"""Names of the annotations in which autoscaling/v1 keeps fields that only v2 has."""

RESOURCE = Resource(
    group="autoscaling",
    version="v2",
    kind="HorizontalPodAutoscaler",
    plural="horizontalpodautoscalers",
    short_names=("hpa",),
    categories=("all",),
    model=lazy("types:HorizontalPodAutoscaler"),
    strategy=lazy("strategy:HorizontalPodAutoscalerStrategy()"),
    printer=lazy("columns:PRINTER"),
    other_versions={"autoscaling/v1": Lazy("memkube.apis.autoscaling.v1.horizontalpodautoscalers.conversion:OLDER")},
    subresources=(status_subresource(lazy("strategy:HorizontalPodAutoscalerStatusStrategy()")),),
)
