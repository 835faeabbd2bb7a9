"""Declaration of HorizontalPodAutoscalers of autoscaling/v1, stored as v2."""

from typing import Final

from memkube.apis.autoscaling.v2.horizontalpodautoscalers.resource import RESOURCE as NEWER
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.resource import ROUND_TRIP
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, StoredForm, status_subresource

_HERE: Final = "memkube.apis.autoscaling.v1.horizontalpodautoscalers"

RESOURCE = Resource(
    group="autoscaling",
    version="v1",
    kind="HorizontalPodAutoscaler",
    plural="horizontalpodautoscalers",
    singular="horizontalpodautoscaler",
    short_names=("hpa",),
    categories=("all",),
    model=Lazy(f"{_HERE}.types:HorizontalPodAutoscaler"),
    strategy=Lazy(f"{_HERE}.strategy:HorizontalPodAutoscalerStrategy()"),
    printer=Lazy(f"{_HERE}.conversion:PRINTER"),
    annotations_of_fields=ROUND_TRIP,
    subresources=(status_subresource(Lazy(f"{_HERE}.strategy:HorizontalPodAutoscalerStatusStrategy()")),),
    other_versions={"autoscaling/v2": Lazy(f"{_HERE}.conversion:NEWER")},
    stored_form=StoredForm(
        NEWER, to_stored=Lazy(f"{_HERE}.conversion:TO_NEWER"), from_stored=Lazy(f"{_HERE}.conversion:FROM_NEWER")
    ),
)
