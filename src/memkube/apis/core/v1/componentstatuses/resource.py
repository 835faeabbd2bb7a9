from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="",
    version="v1",
    kind="ComponentStatus",
    plural="componentstatuses",
    namespaced=False,
    short_names=("cs",),
    verbs=("get", "list"),
    model=lazy("types:ComponentStatus"),
    printer=lazy("columns:PRINTER"),
    computed=lazy("components:Components()"),
    deprecation="v1 ComponentStatus is deprecated in v1.19+",
)
