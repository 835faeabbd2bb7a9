from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="discovery.k8s.io",
    version="v1",
    kind="EndpointSlice",
    plural="endpointslices",
    model=lazy("types:EndpointSlice"),
    strategy=lazy("strategy:EndpointSliceStrategy()"),
    printer=lazy("columns:PRINTER"),
)
