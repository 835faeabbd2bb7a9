from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="storage.k8s.io",
    version="v1",
    kind="StorageClass",
    plural="storageclasses",
    namespaced=False,
    short_names=("sc",),
    model=lazy("types:StorageClass"),
    strategy=lazy("strategy:StorageClassStrategy()"),
    printer=lazy("columns:PRINTER"),
)
