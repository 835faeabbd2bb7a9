from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="storage.k8s.io",
    version="v1",
    kind="CSIDriver",
    plural="csidrivers",
    namespaced=False,
    model=lazy("types:CSIDriver"),
    strategy=lazy("strategy:CSIDriverStrategy()"),
    printer=lazy("columns:PRINTER"),
)
