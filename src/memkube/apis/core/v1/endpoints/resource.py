from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource, StorageForm

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="",
    version="v1",
    kind="Endpoints",
    plural="endpoints",
    stored=StorageForm(prefix="services/endpoints"),
    short_names=("ep",),
    deprecation="v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    model=lazy("types:Endpoints"),
    strategy=lazy("strategy:EndpointsStrategy()"),
    printer=lazy("columns:PRINTER"),
)
