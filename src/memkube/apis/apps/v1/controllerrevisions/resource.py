from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="ControllerRevision",
    plural="controllerrevisions",
    model=lazy("types:ControllerRevision"),
    strategy=lazy("strategy:ControllerRevisionStrategy()"),
    printer=lazy("columns:PRINTER"),
)
