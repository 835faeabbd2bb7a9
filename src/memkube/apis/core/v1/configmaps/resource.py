from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="",
    version="v1",
    kind="ConfigMap",
    plural="configmaps",
    short_names=("cm",),
    model=lazy("types:ConfigMap"),
    strategy=lazy("strategy:ConfigMapStrategy()"),
    printer=lazy("columns:PRINTER"),
)
