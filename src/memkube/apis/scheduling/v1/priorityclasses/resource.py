from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="scheduling.k8s.io",
    version="v1",
    kind="PriorityClass",
    plural="priorityclasses",
    namespaced=False,
    short_names=("pc",),
    model=lazy("types:PriorityClass"),
    strategy=lazy("strategy:PriorityClassStrategy()"),
    printer=lazy("columns:PRINTER"),
)
