from memkube.apis.autoscaling.v1.scales.subresource import scale_subresource
from memkube.registry.declarations.lazy import Lazy, LazyPackage
from memkube.registry.declarations.resource import ListForm, Resource, status_subresource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="ReplicaSet",
    plural="replicasets",
    short_names=("rs",),
    categories=("all",),
    model=lazy("types:ReplicaSet"),
    strategy=lazy("strategy:ReplicaSetStrategy()"),
    printer=Lazy("memkube.apis.core.v1.podspec.container_columns:SELECTED_REPLICAS"),
    lists=ListForm(bookmark_spec={"replicas": 0}),
    subresources=(
        scale_subresource("apps/v1"),
        status_subresource(lazy("strategy:ReplicaSetStatusStrategy()")),
    ),
)
