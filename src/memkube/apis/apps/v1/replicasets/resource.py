"""Declaration of ReplicaSets."""

from memkube.apis.autoscaling.v1.scales.subresource import scale_subresource
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, status_subresource

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="ReplicaSet",
    plural="replicasets",
    singular="replicaset",
    short_names=("rs",),
    categories=("all",),
    model=Lazy("memkube.apis.apps.v1.replicasets.types:ReplicaSet"),
    strategy=Lazy("memkube.apis.apps.v1.replicasets.strategy:ReplicaSetStrategy()"),
    printer=Lazy("memkube.apis.core.v1.podspec.container_columns:SELECTED_REPLICAS"),
    subresources=(
        scale_subresource("apps/v1"),
        status_subresource(Lazy("memkube.apis.apps.v1.replicasets.strategy:ReplicaSetStatusStrategy()")),
    ),
)
