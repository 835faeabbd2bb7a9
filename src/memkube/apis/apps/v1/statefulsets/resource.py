"""StatefulSets, as they are served."""

from memkube.apis.apps.v1.statefulsets.columns import PRINTER
from memkube.apis.apps.v1.statefulsets.strategy import StatefulSetStatusStrategy, StatefulSetStrategy
from memkube.apis.apps.v1.statefulsets.types import StatefulSet
from memkube.apis.autoscaling.v1.scales.subresource import scale_subresource
from memkube.registry.resource import Resource, status_subresource

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="StatefulSet",
    plural="statefulsets",
    singular="statefulset",
    short_names=("sts",),
    categories=("all",),
    model=StatefulSet,
    strategy=StatefulSetStrategy(),
    printer=PRINTER,
    subresources=(
        scale_subresource("apps/v1"),
        status_subresource(StatefulSet, "StatefulSet", StatefulSetStatusStrategy()),
    ),
)
