from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="networking.k8s.io",
    version="v1",
    kind="IngressClass",
    plural="ingressclasses",
    namespaced=False,
    model=lazy("types:IngressClass"),
    strategy=lazy("strategy:IngressClassStrategy()"),
    printer=lazy("columns:PRINTER"),
)
