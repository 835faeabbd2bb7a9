from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="storage.k8s.io",
    version="v1",
    kind="CSINode",
    plural="csinodes",
    namespaced=False,
    model=lazy("types:CSINode"),
    strategy=lazy("strategy:CSINodeStrategy()"),
    printer=lazy("columns:PRINTER"),
)
