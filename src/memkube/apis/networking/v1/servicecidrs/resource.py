from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource, status_subresource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="networking.k8s.io",
    version="v1",
    kind="ServiceCIDR",
    plural="servicecidrs",
    namespaced=False,
    model=lazy("types:ServiceCIDR"),
    strategy=lazy("strategy:ServiceCIDRStrategy()"),
    printer=lazy("columns:PRINTER"),
    subresources=(status_subresource(lazy("strategy:ServiceCIDRStatusStrategy()")),),
)
