"""Declaration of the API resource ``horizontalpodautoscalers`` of autoscaling/v1, stored as v2."""

from memkube.apis.autoscaling.v2.horizontalpodautoscalers.resource import RESOURCE as NEWER
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.resource import ROUND_TRIP
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource, StorageForm, StoredForm, status_subresource

lazy = LazyPackage(__package__)


RESOURCE = Resource(
    group="autoscaling",
    version="v1",
    kind="HorizontalPodAutoscaler",
    plural="horizontalpodautoscalers",
    short_names=("hpa",),
    categories=("all",),
    model=lazy("types:HorizontalPodAutoscaler"),
    strategy=lazy("strategy:HorizontalPodAutoscalerStrategy()"),
    printer=lazy("conversion:PRINTER"),
    internal_annotations=ROUND_TRIP,
    subresources=(status_subresource(lazy("strategy:HorizontalPodAutoscalerStatusStrategy()")),),
    other_versions={"autoscaling/v2": lazy("conversion:NEWER")},
    stored=StorageForm(
        StoredForm(
            NEWER, to_stored=lazy("conversion:TO_NEWER"), from_stored=lazy("conversion:FROM_NEWER"), is_printed=True
        )
    ),
)
