"""ReplicaSets, as they are served."""

from memkube.apis.apps.v1.replicasets.columns import PRINTER
from memkube.apis.apps.v1.replicasets.strategy import ReplicaSetStatusStrategy, ReplicaSetStrategy
from memkube.apis.apps.v1.replicasets.types import ReplicaSet
from memkube.apis.autoscaling.v1.scales.subresource import scale_subresource
from memkube.registry.resource import Resource, status_subresource

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="ReplicaSet",
    plural="replicasets",
    singular="replicaset",
    short_names=("rs",),
    categories=("all",),
    model=ReplicaSet,
    strategy=ReplicaSetStrategy(),
    printer=PRINTER,
    subresources=(
        scale_subresource("apps/v1"),
        status_subresource(ReplicaSet, "ReplicaSet", ReplicaSetStatusStrategy()),
    ),
)
