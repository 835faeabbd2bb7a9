"""Declaration of NodeMetrics as an API resource whose objects are computed on every read."""

from memkube.registry.declarations.lazy import Lazy, LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="metrics.k8s.io",
    version="v1beta1",
    kind="NodeMetrics",
    plural="nodes",
    namespaced=False,
    verbs=("get", "list"),
    model=lazy("types:NodeMetrics"),
    printer=Lazy("memkube.apis.metrics.v1beta1.columns:NODES"),
    computed=Lazy("memkube.apis.metrics.v1beta1.usage:NodeUsage()"),
)
