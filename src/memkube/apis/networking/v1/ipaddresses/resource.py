from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="networking.k8s.io",
    version="v1",
    kind="IPAddress",
    plural="ipaddresses",
    namespaced=False,
    short_names=("ip",),
    model=lazy("types:IPAddress"),
    strategy=lazy("strategy:IPAddressStrategy()"),
    printer=lazy("columns:PRINTER"),
)
