"""Declaration of StatefulSets."""

from memkube.apis.autoscaling.v1.scales.subresource import scale_subresource
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, status_subresource

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="StatefulSet",
    plural="statefulsets",
    singular="statefulset",
    short_names=("sts",),
    categories=("all",),
    model=Lazy("memkube.apis.apps.v1.statefulsets.types:StatefulSet"),
    strategy=Lazy("memkube.apis.apps.v1.statefulsets.strategy:StatefulSetStrategy()"),
    printer=Lazy("memkube.apis.apps.v1.statefulsets.columns:PRINTER"),
    subresources=(
        scale_subresource("apps/v1"),
        status_subresource(Lazy("memkube.apis.apps.v1.statefulsets.strategy:StatefulSetStatusStrategy()")),
    ),
)
