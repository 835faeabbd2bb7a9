"""HorizontalPodAutoscalers in their first version."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource, status_subresource

RESOURCE = Resource(
    group="autoscaling",
    version="v1",
    kind="HorizontalPodAutoscaler",
    plural="horizontalpodautoscalers",
    singular="horizontalpodautoscaler",
    short_names=("hpa",),
    categories=("all",),
    model=Lazy("memkube.apis.autoscaling.v1.horizontalpodautoscalers.types:HorizontalPodAutoscaler"),
    strategy=Lazy("memkube.apis.autoscaling.v1.horizontalpodautoscalers.strategy:HorizontalPodAutoscalerStrategy()"),
    printer=Lazy("memkube.apis.autoscaling.v1.horizontalpodautoscalers.columns:PRINTER"),
    subresources=(
        status_subresource(
            Lazy(
                "memkube.apis.autoscaling.v1.horizontalpodautoscalers.strategy:HorizontalPodAutoscalerStatusStrategy()"
            )
        ),
    ),
)
