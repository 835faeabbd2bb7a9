"""HorizontalPodAutoscalers: how many replicas metrics call for."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource, status_subresource

RESOURCE = Resource(
    group="autoscaling",
    version="v2",
    kind="HorizontalPodAutoscaler",
    plural="horizontalpodautoscalers",
    singular="horizontalpodautoscaler",
    short_names=("hpa",),
    categories=("all",),
    model=Lazy("memkube.apis.autoscaling.v2.horizontalpodautoscalers.types:HorizontalPodAutoscaler"),
    strategy=Lazy("memkube.apis.autoscaling.v2.horizontalpodautoscalers.strategy:HorizontalPodAutoscalerStrategy()"),
    printer=Lazy("memkube.apis.autoscaling.v2.horizontalpodautoscalers.columns:PRINTER"),
    subresources=(
        status_subresource(
            Lazy(
                "memkube.apis.autoscaling.v2.horizontalpodautoscalers.strategy:HorizontalPodAutoscalerStatusStrategy()"
            )
        ),
    ),
)
