"""Declaration of PodMetrics as an API resource whose objects are computed on every read."""

from memkube.registry.declarations.lazy import Lazy, LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="metrics.k8s.io",
    version="v1beta1",
    kind="PodMetrics",
    plural="pods",
    verbs=("get", "list"),
    model=lazy("types:PodMetrics"),
    printer=Lazy("memkube.apis.metrics.v1beta1.columns:PODS"),
    computed=Lazy("memkube.apis.metrics.v1beta1.usage:PodUsage()"),
)
