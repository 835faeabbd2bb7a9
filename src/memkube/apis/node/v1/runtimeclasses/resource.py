from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="node.k8s.io",
    version="v1",
    kind="RuntimeClass",
    plural="runtimeclasses",
    namespaced=False,
    model=lazy("types:RuntimeClass"),
    strategy=lazy("strategy:RuntimeClassStrategy()"),
    printer=lazy("columns:PRINTER"),
)
