from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="",
    version="v1",
    kind="PodTemplate",
    plural="podtemplates",
    model=lazy("types:PodTemplate"),
    strategy=lazy("strategy:PodTemplateStrategy()"),
    printer=lazy("columns:PRINTER"),
)
