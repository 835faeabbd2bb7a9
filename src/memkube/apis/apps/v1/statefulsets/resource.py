from memkube.apis.autoscaling.v1.scales.subresource import scale_subresource
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import ListForm, Resource, status_subresource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="StatefulSet",
    plural="statefulsets",
    short_names=("sts",),
    categories=("all",),
    model=lazy("types:StatefulSet"),
    strategy=lazy("strategy:StatefulSetStrategy()"),
    printer=lazy("columns:PRINTER"),
    lists=ListForm(bookmark_spec={"replicas": 0}),
    subresources=(
        scale_subresource("apps/v1"),
        status_subresource(lazy("strategy:StatefulSetStatusStrategy()")),
    ),
)
